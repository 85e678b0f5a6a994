#pragma once
/// Tiles of triples: cubes, and the sides that they keep.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/terms.cuh"
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

// Tiles of triples under the Axilrod-Teller potential: computes every triple once, for all three of its bodies.
//
// The potential of a triple depends on its three sides alone, E(a, b, c) with a = |r_ij|^2, b = |r_jk|^2, c =
// |r_ki|^2, so its forces act along the sides, with the strengths E_a, E_b, E_c. These are summed over all triples of
// a pair before they multiply the pair's vector: a triple then needs no vector, no root and no division, only
//
//     u = a + b - c,  v = b + c - a,  w = c + a - b,   P = uvw,   X = vw,   d = v - w
//     E_a = (3/8) nu (abc)^(-5/2) [X + ud - 4bc - (5/2a) P]
//     E_b = (3/8) nu (abc)^(-5/2) [X - ud - 4ca - (5/2b) P]
//     E_c = (3/8) nu (abc)^(-5/2) [2cu - X - 4ab - (5/2c) P]
//
// with a^(-5/2) and 5/2a known for each pair: 22 issue slots, of which three add to the sums of the three pairs.
//
// A tile is cut into cubes of 32 x 32 x kDepth bodies at fixed positions, processed in sequence by a block of two
// warps:
//
//           k          Face (i, j): a lane keeps 4 x kLaneColumns pairs and their sums in registers, a warp
//           |  j       32 x 4 kLaneColumns. Faces (i, k) and (j, k): squares, powers and sums in shared memory,
//           | /        four per load. In step s the lane at (I, J) of the 8 x 4 lanes takes layer
//           |/____ i   k = s + I + J: lanes that share a row or a column of face (i, j) never share a
//                      layer, so they add to the shared sums without atomics.
//
// The warps share the columns i and process different halves of the layers, separated by a barrier. At the end of a
// cube the sums of its three faces are converted to forces and added to memory.
//
// i < j < k holds in every cube off the faces of the block tetrahedron. Within a cube on a face, an edge or the corner
// (and for bodies beyond n) an invalid pair has the power 0, which eliminates its triples: the same instructions
// everywhere, at the price of some half-empty cubes.
//
// Ordered sums: the sums within a cube are added in one fixed order in floating point, and the cube's forces exactly
// (terms.cuh). Cubes start at multiples of 32 whatever the tile and the map, so the result is bit-identical.
//
// Range in float32: sides from 3e-3 to 3e2 (the product of three powers spans (side)^-15); beyond that triples
// overflow or underflow to 0. A triple's forces have a relative error of some 1e-7 longest/shortest side.

/// A cube with its corner at body (i0, j0, k0), for the 64 threads of a block.
template <class Real, class Law>
struct Cube {
  using M = DeviceMath<Real>;
  static constexpr u32 kCount = kLaneColumns<Real>;
  static constexpr u32 kPasses = 32 / (2 * 4 * kCount);  ///< over the columns j, by both warps
  static constexpr u32 kSegment = kDepth<Real> / 2;

  TripleStage<Real>& stage;
  u32 i0, j0, k0, n;
  const Law& law;

  /// Loads bodies and the two faces into shared memory. Ends with a barrier.
  template <class Held>
  __device__ __forceinline__ void set_up(const DeviceState<Held>& state) {
    const u32 thread = threadIdx.x;
    const auto body = [&](u32 at) {
      if (at >= n) return Vec4<Real>{Real(0), Real(0), Real(0), Real(0)};
      const Vec4<Held> position = state.position[at];
      return Vec4<Real>{Real(position.x), Real(position.y), Real(position.z), Real(0)};
    };
    if (thread < 32) {
      stage.i[thread] = body(i0 + thread);
      if (thread < kDepth<Real>) stage.k[thread] = body(k0 + thread);
    } else {
      stage.j[thread - 32] = body(j0 + thread - 32);
    }
    __syncthreads();
    const u32 column = thread % 32;
    const Vec4<Real> i = stage.i[column], j = stage.j[column];
    for (u32 layer = thread / 32; layer < kDepth<Real>; layer += 2) {
      const Vec4<Real> k = stage.k[layer];
      const u32 at = k0 + layer;
      stage.ik.put(layer, column, side_of<Law>(i, k, i0 + column < at && at < n));
      stage.jk.put(layer, column, side_of<Law>(j, k, j0 + column < at && at < n));
    }
    __syncthreads();
  }

  /// The lane's position among the columns of a pass.
  __device__ __forceinline__ u32 first_i() const { return 4 * (threadIdx.x % 8); }
  __device__ __forceinline__ u32 first_j(u32 pass) const {
    return kCount * (4 * (2 * pass + threadIdx.x / 32) + threadIdx.x / 8 % 4);
  }

  /// The pairs (i, j) of the lane.
  __device__ __forceinline__ void own_sides(u32 pass, Side<Real> (&sides)[4][kCount]) const {
    const u32 i1 = first_i(), j1 = first_j(pass);
#pragma unroll
    for (u32 jj = 0; jj < kCount; ++jj) {
#pragma unroll
      for (u32 ii = 0; ii < 4; ++ii) {
        sides[ii][jj] =
            side_of<Law>(stage.i[i1 + ii], stage.j[j1 + jj], i0 + i1 + ii < j0 + j1 + jj && j0 + j1 + jj < n);
      }
    }
  }

  /// Calls visit(layer) for all layers, in an order in which lanes and warps never collide.
  template <class F>
  __device__ __forceinline__ void for_each_layer(F&& visit) const {
    const u32 shift = threadIdx.x % 8 + threadIdx.x / 8 % 4;
#pragma unroll 1
    for (u32 phase = 0; phase < 2; ++phase) {
      const u32 segment = kSegment * ((threadIdx.x / 32 + phase) % 2);
#pragma unroll 1
      for (u32 s = 0; s < kSegment; ++s) {
        visit(segment + (s + shift) % kSegment);
        __syncwarp();
      }
      __syncthreads();
    }
  }

  /// Adds all triples of the cube to the sums of the three faces. Ends with a barrier.
  __device__ __forceinline__ void sum_sides() {
#pragma unroll 1
    for (u32 pass = 0; pass < kPasses; ++pass) {
      const u32 i1 = first_i(), j1 = first_j(pass);
      Side<Real> sides[4][kCount];
      own_sides(pass, sides);
      Real sums[kCount][4] = {};
      for_each_layer([&](u32 layer) {
        Row<Real, 4> c;
        Row<Real, kCount> b;
        c.load(stage.ik, layer, i1);
        b.load(stage.jk, layer, j1);
        Real two_c[4], four_c[4];
#pragma unroll
        for (u32 ii = 0; ii < 4; ++ii) two_c[ii] = Real(2) * c.square[ii], four_c[ii] = Real(4) * c.square[ii];
#pragma unroll
        for (u32 jj = 0; jj < kCount; ++jj) {
          const Real four_b = Real(4) * b.square[jj];
#pragma unroll
          for (u32 ii = 0; ii < 4; ++ii) {
            const Real powers = b.power[jj] * c.power[ii];
            if constexpr (kGivesStrengths<Law>) {
              accumulate_strengths(law, sides[ii][jj], b.square[jj], c.square[ii], powers, sums[jj][ii], b.sum[jj],
                                   c.sum[ii]);
            } else {
              accumulate(sides[ii][jj], b.square[jj], c.square[ii], four_b, two_c[ii], four_c[ii], b.over[jj],
                         c.over[ii], powers, sums[jj][ii], b.sum[jj], c.sum[ii]);
            }
          }
        }
        store_row(&stage.ik.sum[layer][i1], c.sum);
        store_row(&stage.jk.sum[layer][j1], b.sum);
      });
#pragma unroll
      for (u32 jj = 0; jj < kCount; ++jj) store_row(&stage.ij[j1 + jj][i1], sums[jj]);
    }
    __syncthreads();
  }

  /// Forces in units of 3 nu / 4, energy in units of -nu / 12; of a law that gives strengths in units of 1, and 0.
  struct Force {
    Sum3<Real> pull;
    Real energy = 0;
    __device__ __forceinline__ Real add(Real strength, const Vec4<Real>& own, const Vec4<Real>& other) {
      const Real x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
      pull = {M::mul_add(strength, x, pull.x), M::mul_add(strength, y, pull.y), M::mul_add(strength, z, pull.z)};
      return M::mul_add(z, z, M::mul_add(y, y, x * x));
    }
  };

  /// Force on this lane's column from `rows` rows of a face, including the face's energy.
  __device__ __forceinline__ void add_columns(Force& force, const Real* sums, u32 stride, const Vec4<Real>& own,
                                              const Vec4<Real>* rows, u32 count) const {
    const u32 lane = threadIdx.x % 32;
    for (u32 r = 0; r < count; ++r) {
      const Real strength = sums[r * stride + lane];
      const Real square = force.add(strength, own, rows[r]);
      force.energy = M::mul_add(strength, square, force.energy);
    }
  }

  /// Force on row lane % kRows from the 32 columns of a face; the lanes of a row split the columns and all get the sum.
  template <u32 kRows>
  __device__ __forceinline__ void add_rows(Force& force, const Real* sums, u32 stride, const Vec4<Real>& own,
                                           const Vec4<Real>* columns) const {
    const u32 lane = threadIdx.x % 32, row = lane % kRows, part = lane / kRows * kRows;
    Force mine;
    for (u32 t = 0; t < kRows; ++t) {
      const u32 column = part + (t + row) % kRows;  // lanes in different banks
      mine.add(sums[row * stride + column], own, columns[column]);
    }
#pragma unroll
    for (u32 step = kRows; step < 32; step *= 2) {
      mine.pull.x += __shfl_xor_sync(~0u, mine.pull.x, step);
      mine.pull.y += __shfl_xor_sync(~0u, mine.pull.y, step);
      mine.pull.z += __shfl_xor_sync(~0u, mine.pull.z, step);
    }
    force.pull = {force.pull.x + mine.pull.x, force.pull.y + mine.pull.y, force.pull.z + mine.pull.z};
  }

  /// Converts the sums of the faces to forces and adds them to memory. Ends with a barrier.
  template <bool kOrdered>
  __device__ __forceinline__ void give_forces(const PairSums<Real>& out) const {
    constexpr u32 kLayers = kDepth<Real>;
    const u32 lane = threadIdx.x % 32;
    const Vec4<Real> layer = stage.k[lane % kLayers];
    Force column, other;
    if (threadIdx.x < 32) {
      add_columns(column, &stage.ij[0][0], 32, stage.i[lane], stage.j, 32);
      add_columns(column, &stage.ik.sum[0][0], stage.ik.kWidth, stage.i[lane], stage.k, kLayers);
      add_rows<kLayers>(other, &stage.ik.sum[0][0], stage.ik.kWidth, layer, stage.i);
      give<kOrdered>(out, i0 + lane, column);
    } else {
      add_columns(column, &stage.jk.sum[0][0], stage.jk.kWidth, stage.j[lane], stage.k, kLayers);
      add_rows<32>(column, &stage.ij[0][0], 32, stage.j[lane], stage.i);
      add_rows<kLayers>(other, &stage.jk.sum[0][0], stage.jk.kWidth, layer, stage.j);
      give<kOrdered>(out, j0 + lane, column);
    }
    if (lane < kLayers) give<kOrdered>(out, k0 + lane, other);
    __syncthreads();
  }

  template <bool kOrdered>
  __device__ __forceinline__ void give(const PairSums<Real>& out, u32 body, const Force& force) const {
    if (body >= n) return;
    Sum3<Real> sum = force.pull;
    Real energy = 0;
    if constexpr (!kGivesStrengths<Law>) {
      const Real scale = Real(0.75) * law.nu;
      sum = {scale * force.pull.x, scale * force.pull.y, scale * force.pull.z};
      energy = law.nu * Real(-1.0 / 12) * force.energy;
    }
    if constexpr (kOrdered) {
      add_sum<true>(out, n, body, sum);
    } else {
      add_with_energy(copy_of_block<kTripleCopies>(out.out, n) + body, sum, energy);
    }
  }

  /// Calls visit(a, b, c, powers) for the lane's triples, those that are none with powers = 0. Leaves the faces' sums
  /// unchanged.
  template <class F>
  __device__ __forceinline__ void for_each_triple(F&& visit) const {
#pragma unroll 1
    for (u32 pass = 0; pass < kPasses; ++pass) {
      const u32 i1 = first_i(), j1 = first_j(pass);
      Side<Real> sides[4][kCount];
      own_sides(pass, sides);
      for_each_layer([&](u32 layer) {
#pragma unroll
        for (u32 jj = 0; jj < kCount; ++jj) {
          const Real b = stage.jk.square[layer][j1 + jj], power_b = stage.jk.power[layer][j1 + jj];
#pragma unroll
          for (u32 ii = 0; ii < 4; ++ii) {
            const Real a = sides[ii][jj].square, c = stage.ik.square[layer][i1 + ii];
            visit(a, b, c, (sides[ii][jj].power * power_b) * stage.ik.power[layer][i1 + ii]);
          }
        }
      });
    }
  }

  /// Energy of the lane's triples without nu, from E itself: (abc)^(-5/2) (abc + 3P/8).
  __device__ __forceinline__ Real energy() const {
    Real sum = 0;
    for_each_triple([&](Real a, Real b, Real c, Real powers) {
      const Real u = (a - c) + b, v = (b - a) + c, w = (c - b) + a;
      const Real form = M::mul_add(Real(0.375), (u * v) * w, (a * b) * c);
      sum = M::mul_add(powers, form, sum);
    });
    return sum;
  }
};

}  // namespace tri::cuda
