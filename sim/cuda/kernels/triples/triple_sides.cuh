#pragma once
/// What a cube of triples (triple_tile.cuh) keeps of its pairs, the sides of triples, and what a triple adds to them.

#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/cuda/kernels/triples/triple_copies.hpp"
#include "sim/maps/map_concepts.hpp"

namespace tri::cuda {

inline constexpr u32 kTripleThreads = 64;

/// Layers of a cube: as many as fit in static shared memory.
template <class Real>
inline constexpr u32 kDepth = sizeof(Real) == 4 ? 32 : 16;
/// Columns j of a lane's pairs.
template <class Real>
inline constexpr u32 kLaneColumns = sizeof(Real) == 4 ? 4 : 2;

/// 2 or 4 neighbours in shared memory by the widest loads.
template <u32 kCount>
__device__ __forceinline__ void load_row(const float* from, float (&to)[kCount]) {
  static_assert(kCount == 4);
  const float4 v = *reinterpret_cast<const float4*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
template <u32 kCount>
__device__ __forceinline__ void load_row(const double* from, double (&to)[kCount]) {
#pragma unroll
  for (u32 c = 0; c < kCount; c += 2) {
    const double2 v = *reinterpret_cast<const double2*>(from + c);
    to[c] = v.x, to[c + 1] = v.y;
  }
}
template <u32 kCount>
__device__ __forceinline__ void store_row(float* to, const float (&from)[kCount]) {
  *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
}
template <u32 kCount>
__device__ __forceinline__ void store_row(double* to, const double (&from)[kCount]) {
#pragma unroll
  for (u32 c = 0; c < kCount; c += 2) *reinterpret_cast<double2*>(to + c) = make_double2(from[c], from[c + 1]);
}

/// What a triple needs of a pair.
template <class Real>
struct Side {
  Real square;  ///< a = |d|^2
  Real over;    ///< 5/2a
  Real power;   ///< a^(-5/2); 0 for an invalid pair
};

/// The law of the kernels that are compiled with the program. Another law (sim/cuda/jit) says so by kStrengths
/// and has strengths(), which gives what is summed for the sides, 2 dE/da, 2 dE/db, 2 dE/dc; then `over` is unused and
/// `power` is 1 or 0.
template <class Real>
struct AxilrodTellerSides {
  Real nu;
};

template <class Law>
inline constexpr bool kGivesStrengths = requires {
  Law::kStrengths;
};

/// The pair (lower, upper) of bodies at p and q.
template <class Law, class Real>
__device__ __forceinline__ Side<Real> side_of(const Vec4<Real>& p, const Vec4<Real>& q, bool belongs) {
  using M = DeviceMath<Real>;
  // Both are finite for the pair of a body with itself.
  if (!belongs) return {Real(1), Real(0), Real(0)};
  const Real x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
  const Real square = M::mul_add(z, z, M::mul_add(y, y, x * x));
  if constexpr (kGivesStrengths<Law>) {
    return {square, Real(0), Real(1)};
  } else {
    const Real root = M::rsqrt(square), inverse = root * root;
    return {square, Real(2.5) * inverse, (inverse * inverse) * root};
  }
}

/// A face of kDepth layers in shared memory; kStride puts the lanes of a load in different banks.
template <class Real, u32 kStride>
struct Face {
  static constexpr u32 kWidth = kStride;
  Real square[kDepth<Real>][kStride];
  Real over[kDepth<Real>][kStride];
  Real power[kDepth<Real>][kStride];
  Real sum[kDepth<Real>][kStride];

  __device__ __forceinline__ void put(u32 layer, u32 column, const Side<Real>& side) {
    square[layer][column] = side.square, over[layer][column] = side.over;
    power[layer][column] = side.power, sum[layer][column] = 0;
  }
};

/// All of a block's shared memory. Bodies as (x, y, z, -).
template <class Real>
struct alignas(16) TripleStage {
  Face<Real, 32> ik;
  Face<Real, 36> jk;
  Real ij[32][32];  ///< [j][i] sums
  Vec4<Real> i[32], j[32], k[kDepth<Real>];
};

/// `count` neighbouring columns of one layer of a face.
template <class Real, u32 kCount>
struct Row {
  Real square[kCount], over[kCount], power[kCount], sum[kCount];

  template <class F>
  __device__ __forceinline__ void load(const F& face, u32 layer, u32 column) {
    load_row(&face.square[layer][column], square);
    load_row(&face.over[layer][column], over);
    load_row(&face.power[layer][column], power);
    load_row(&face.sum[layer][column], sum);
  }
};

/// One triple: adds to the sums of its sides ij, jk and ik. four_b = 4b, two_c = 2c, four_c = 4c.
template <class Real>
__device__ __forceinline__ void accumulate(const Side<Real>& ij, Real b, Real c, Real four_b, Real two_c, Real four_c,
                                           Real over_b, Real over_c, Real powers, Real& sum_a, Real& sum_b,
                                           Real& sum_c) {
  using M = DeviceMath<Real>;
  const Real a = ij.square;
  const Real u = (a - c) + b;
  const Real v = M::mul_add(Real(2), b, -u);
  const Real w = M::mul_add(Real(2), a, -u);
  const Real x = v * w, d = v - w, p = u * x;
  const Real ea = M::neg_mul_add(ij.over, p, M::neg_mul_add(four_b, c, M::mul_add(u, d, x)));
  const Real eb = M::neg_mul_add(over_b, p, M::neg_mul_add(four_c, a, M::neg_mul_add(u, d, x)));
  const Real ec = M::neg_mul_add(over_c, p, M::neg_mul_add(four_b, a, M::mul_add(u, two_c, -x)));
  const Real power = powers * ij.power;
  sum_a = M::mul_add(power, ea, sum_a);
  sum_b = M::mul_add(power, eb, sum_b);
  sum_c = M::mul_add(power, ec, sum_c);
}

/// The same for a law that gives strengths.
template <class Law, class Real>
__device__ __forceinline__ void accumulate_strengths(const Law& law, const Side<Real>& ij, Real b, Real c, Real powers,
                                                     Real& sum_a, Real& sum_b, Real& sum_c) {
  Real strength_a, strength_b, strength_c;
  law.strengths(DeviceMath<Real>{}, ij.square, b, c, strength_a, strength_b, strength_c);
  const bool belongs = powers * ij.power != Real(0);
  sum_a += belongs ? strength_a : Real(0);
  sum_b += belongs ? strength_b : Real(0);
  sum_c += belongs ? strength_c : Real(0);
}

/// Calls visit(i0, j0, k0) for the corners of the cubes of a tile that contain triples of n bodies.
template <class Real, class F>
__device__ __forceinline__ void for_each_cube(const Tile3& at, u32 tile, u32 n, F&& visit) {
  for (u32 z = 0; z < tile; z += kDepth<Real>) {
    const u32 k0 = at.z * tile + z;
    if (k0 >= n) break;
    for (u32 y = 0; y < tile; y += kTripleCube) {
      const u32 j0 = at.y * tile + y;
      if (j0 > k0) break;
      for (u32 x = 0; x < tile; x += kTripleCube) {
        const u32 i0 = at.x * tile + x;
        if (i0 > j0) break;
        visit(i0, j0, k0);
      }
    }
  }
}

}  // namespace tri::cuda
