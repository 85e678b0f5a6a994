#pragma once
/// The values of the ten forms of triple_half_products.hpp at the sides between a tile's rows or columns and third
/// bodies.

#include <cuda_fp16.h>

#include "sim/cuda/kernels/triples/triple_products.hpp"

namespace tri::cuda {

inline constexpr u32 kHalfThreads = 256;
/// Rows and columns of a block's tile.
inline constexpr u32 kHalfSide = 64;
inline constexpr u32 kHalfParts = (kProductBlock / kHalfSide) * (kProductBlock / kHalfSide);
/// Third bodies whose values are in shared memory at once.
inline constexpr u32 kHalfDepth = 16;
inline constexpr u32 kForms = 10;

/// Bodies in units of the distance between neighbours; w is a power of two by which the sides of the body are
/// multiplied once more, the smallest that keeps their values within half precision.
using ScaledBody = float4;

/// Where bodies beyond the last are: their values vanish in half precision.
inline constexpr float kFarAway = 1e9f;

/// The values of kHalfDepth third bodies: for each form the larger halves and the smaller ones, of the first eight
/// third bodies and the last eight, for rows and columns of the tile. Eight neighbouring bodies are 128 bytes.
struct FormValues {
  uint4 eight[kForms][2][2][2 * kHalfSide];
};

__device__ __forceinline__ u32 packed(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const u32*>(&both);
}

/// Splits eight values: each is its larger half, of 11 bits, and the rest.
__device__ __forceinline__ void split(const float (&value)[8], uint4& large, uint4& small) {
  u32 first[4], second[4];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    // Cut, not rounded, so that it needs no way back from half precision.
    const float a = __uint_as_float(__float_as_uint(value[2 * k]) & 0xffffe000u);
    const float b = __uint_as_float(__float_as_uint(value[2 * k + 1]) & 0xffffe000u);
    first[k] = packed(a, b);
    second[k] = packed(value[2 * k] - a, value[2 * k + 1] - b);
  }
  large = make_uint4(first[0], first[1], first[2], first[3]);
  small = make_uint4(second[0], second[1], second[2], second[3]);
}

/// To about 22 bits; the arguments are neither negative nor tiny.
__device__ __forceinline__ float inverse_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// Operations on two numbers in half precision.
__device__ __forceinline__ u32 sum2(u32 a, u32 b) {
  u32 to;
  asm("add.f16x2 %0, %1, %2;" : "=r"(to) : "r"(a), "r"(b));
  return to;
}
__device__ __forceinline__ u32 difference2(u32 a, u32 b) {
  u32 to;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(to) : "r"(a), "r"(b));
  return to;
}
__device__ __forceinline__ u32 multiply_add2(u32 factor, u32 a, u32 b) {
  u32 to;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(to) : "r"(factor), "r"(a), "r"(b));
  return to;
}
inline constexpr u32 kTwo2 = 0x40004000, kMinusTwo2 = 0xc000c000, kHalf2 = 0x38003800, kMinusHalf2 = 0xb800b800;

/// The tensor of a side (triple_half_products.hpp); c = -(a + b).
struct DipoleTensor {
  float a, b, p, q, r;
};
/// The tensor of a side in units of 1 / own.w, where `own` is in these units; zero for a body and itself.
__device__ __forceinline__ DipoleTensor tensor_of(const ScaledBody& own, const ScaledBody& other, bool itself) {
  const float x = fmaf(-own.w, other.x, own.x), y = fmaf(-own.w, other.y, own.y), z = fmaf(-own.w, other.z, own.z);
  const float far = inverse_root(fmaf(x, x, fmaf(y, y, z * z)));
  const float inverse = itself ? 0.0f : far, square = inverse * inverse;
  const float cube = inverse * square, strength = cube * (3 * square);
  const float sx = strength * x, sy = strength * y;
  return {fmaf(sx, x, -cube), fmaf(sy, y, -cube), sy * z, sx * z, sx * y};
}

/// Makes the values of a row or column and the eight third bodies in `layer`, at `half` of a chunk. own: the body, its
/// position already multiplied by w; self: which of the eight it is, or any other number. kNear: both halves of values.
template <bool kNear>
__device__ __forceinline__ void make_values(FormValues& to, const ScaledBody& own, const ScaledBody* layer, u32 side,
                                            u32 half, u32 self) {
  DipoleTensor t[8];
#pragma unroll
  for (u32 k = 0; k < 8; ++k) t[k] = tensor_of(own, layer[k], k == self);
  if constexpr (kNear) {
    const auto store = [&](u32 form, const auto& value_of) {
      float value[8];
#pragma unroll
      for (u32 k = 0; k < 8; ++k) value[k] = value_of(t[k]);
      split(value, to.eight[form][0][half][side], to.eight[form][1][half][side]);
    };
    store(0, [](const DipoleTensor& u) { return u.p + u.q + u.r; });
    store(1, [](const DipoleTensor& u) { return fmaf(-2, u.q + u.r, u.a); });
    store(2, [](const DipoleTensor& u) { return fmaf(-2, u.r + u.p, u.b); });
    store(3, [](const DipoleTensor& u) { return fmaf(2, u.p + u.q, u.a + u.b); });
    store(4, [](const DipoleTensor& u) { return fmaf(-0.5f, u.r, u.a + u.q); });
    store(5, [](const DipoleTensor& u) { return fmaf(-0.5f, u.q, u.a + u.r); });
    store(6, [](const DipoleTensor& u) { return fmaf(-0.5f, u.p, u.b + u.r); });
    store(7, [](const DipoleTensor& u) { return fmaf(-0.5f, u.r, u.b + u.p); });
    store(8, [](const DipoleTensor& u) { return fmaf(0.5f, u.q, (u.a + u.b) - u.p); });
    store(9, [](const DipoleTensor& u) { return fmaf(0.5f, u.p, (u.a + u.b) - u.q); });
  } else {
    // Two layers at a time, in half precision from here on. c and its forms have the other sign, which the products of
    // two do not show.
    u32 a[4], b[4], c[4], p[4], q[4], r[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const DipoleTensor &u = t[2 * k], &v = t[2 * k + 1];
      a[k] = packed(u.a, v.a), b[k] = packed(u.b, v.b);
      p[k] = packed(u.p, v.p), q[k] = packed(u.q, v.q), r[k] = packed(u.r, v.r);
      c[k] = sum2(a[k], b[k]);
    }
    const auto store = [&](u32 form, const auto& value_of) {
      to.eight[form][0][half][side] = make_uint4(value_of(0), value_of(1), value_of(2), value_of(3));
    };
    const auto wide = [](u32 one, u32 other, u32 from) {
      return multiply_add2(kMinusTwo2, one, multiply_add2(kMinusTwo2, other, from));
    };
    const auto skew = [](u32 third, u32 one, u32 other) { return multiply_add2(kMinusHalf2, third, sum2(one, other)); };
    const auto less = [](u32 third, u32 one, u32 other) {
      return multiply_add2(kHalf2, third, difference2(one, other));
    };
    store(0, [&](u32 k) { return sum2(sum2(p[k], q[k]), r[k]); });
    store(1, [&](u32 k) { return wide(q[k], r[k], a[k]); });
    store(2, [&](u32 k) { return wide(r[k], p[k], b[k]); });
    store(3, [&](u32 k) { return multiply_add2(kTwo2, p[k], multiply_add2(kTwo2, q[k], c[k])); });
    store(4, [&](u32 k) { return skew(r[k], a[k], q[k]); });
    store(5, [&](u32 k) { return skew(q[k], a[k], r[k]); });
    store(6, [&](u32 k) { return skew(p[k], b[k], r[k]); });
    store(7, [&](u32 k) { return skew(r[k], b[k], p[k]); });
    store(8, [&](u32 k) { return less(q[k], c[k], p[k]); });
    store(9, [&](u32 k) { return less(p[k], c[k], q[k]); });
  }
}

}  // namespace tri::cuda
