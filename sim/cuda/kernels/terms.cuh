#pragma once
/// The terms of pairs and triples: arithmetic, bodies in registers, sums.
///
/// The arithmetic of laws (see sim/laws/law_basics.hpp) with the device's own approximate roots and reciprocals.
///
/// float32: MUFU.RSQ and MUFU.RCP alone, relative error below 2^-22 (a subnormal argument counts as zero). float64: the
/// same units' 20-bit seeds and one step of third order, relative error about 2^-53. Both yield the same bits for the
/// same argument, always. For zero and infinity float64 yields NaN, not infinity and zero.

#include <nv/target>

#include "sim/base/platform.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/terms.hpp"

namespace tri::cuda {

template <class Real>
struct DeviceMath;

template <>
struct DeviceMath<float> : laws::ScalarMath<float> {
  static __device__ __forceinline__ float mul_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
  static __device__ __forceinline__ float neg_mul_add(float a, float b, float c) { return __fmaf_rn(-a, b, c); }
  static __device__ __forceinline__ float rsqrt(float a) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
    return y;
  }
  static __device__ __forceinline__ float rsqrt_cubed(float a) {
    const float y = rsqrt(a);
    return y * (y * y);
  }
  static __device__ __forceinline__ float reciprocal(float a) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
    return y;
  }
};

template <>
struct DeviceMath<double> : laws::ScalarMath<double> {
  static __device__ __forceinline__ double mul_add(double a, double b, double c) { return __fma_rn(a, b, c); }
  static __device__ __forceinline__ double neg_mul_add(double a, double b, double c) { return __fma_rn(-a, b, c); }
  static __device__ __forceinline__ double rsqrt(double a) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    // With e = 1 - a y^2: 1/sqrt(a) = y (1 - e)^(-1/2) = y (1 + e/2 + 3 e^2/8 + ...), and |e| < 2^-18.
    const double e = __fma_rn(-a, y * y, 1.0);
    return __fma_rn(__fma_rn(e, 0.375, 0.5), e * y, y);
  }
  static __device__ __forceinline__ double rsqrt_cubed(double a) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    // As above, (1 - e)^(-3/2) = 1 + 3 e/2 + 15 e^2/8 + ...: an operation less than the cube of the root.
    const double square = y * y, e = __fma_rn(-a, square, 1.0), cube = y * square;
    return __fma_rn(__fma_rn(e, 1.875, 1.5), e * cube, cube);
  }
  static __device__ __forceinline__ double reciprocal(double a) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    // 1/a = y / (1 - e) = y (1 + e + e^2 + ...)
    const double e = __fma_rn(-a, y, 1.0);
    return __fma_rn(__fma_rn(e, e, e), y, y);
  }
};

// Exact sums, whose bits do not depend on the order of their terms.
//
// A sum consists of 64-bit integers ("bins"), bin b in units of 2^(16 b - Q): Q = 149 for float32, so that bin 0 holds
// the smallest subnormal number, Q = 181 for float64. A term is added to the bin that its exponent selects, as an
// exact integer: its mantissa shifted by 0 to 15 bits. Integer addition does not round, so any order yields the same
// bins. No common quantum has to be guessed, neither from a bound of the law (there is none for eps = 0) nor from the
// data (which would cost a pass over all pairs, or require history that a restart does not have).
//
//     value   1.10100...  * 2^e         24 bits (float64: 53, added as 27 + 26)
//     bins    ...|   b+1   |    b    |   b-1   |...      16 bits apart, 64 wide: they overlap, and 2^22 terms fit
//
// Range: float32 all finite numbers. float64: terms of 2^128 or more are out of range and mark their body as broken;
// what is below 2^-181 is rounded to that. Infinity and NaN also mark the body as broken.

/// Adds mantissa * 2^index, in units of the smallest quantum, to sums[bin * stride].
__device__ __forceinline__ void add_to_bin(unsigned long long* sums, u64 stride, u64 mantissa, u32 index,
                                           bool negative) {
  if (mantissa == 0) return;
  const u64 shifted = mantissa << (index & 15);
  atomicAdd(sums + (index >> 4) * stride, static_cast<unsigned long long>(negative ? 0 - shifted : shifted));
}

/// Returns false, and adds nothing, if the value is out of range.
__device__ __forceinline__ bool add_exactly(unsigned long long* sums, u64 stride, float value) {
  const u32 bits = __float_as_uint(value), exponent = bits >> 23 & 0xff;
  if (exponent == 0xff) return false;
  const u32 mantissa = (bits & 0x7fffff) | (exponent != 0 ? 0x800000 : 0);
  add_to_bin(sums, stride, mantissa, exponent != 0 ? exponent - 1 : 0, bits >> 31);
  return true;
}

__device__ __forceinline__ bool add_exactly(unsigned long long* sums, u64 stride, double value) {
  constexpr int kOffset = 1075 - 181;
  const u64 bits = static_cast<u64>(__double_as_longlong(value));
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent >= 1023 + 128) return false;
  u64 mantissa = (bits & 0xfffffffffffffull) | (exponent != 0 ? 0x10000000000000ull : 0);
  int index = (exponent != 0 ? exponent : 1) - kOffset;
  if (index < 0) {
    const int drop = -index;
    mantissa = drop > 54 ? 0 : (mantissa + (1ull << (drop - 1))) >> drop;
    index = 0;
  }
  const bool negative = bits >> 63;
  add_to_bin(sums, stride, mantissa & 0x3ffffff, static_cast<u32>(index), negative);
  add_to_bin(sums, stride, mantissa >> 26, static_cast<u32>(index) + 26, negative);
  return true;
}

// Loading bodies from device memory into registers, and storing sums.

template <class Law>
inline constexpr bool kReadsVelocity = (Law::kUses & (laws::kVelocity | laws::kRadius)) != 0;

template <class Law>
inline constexpr bool kReadsCharge = (Law::kUses & laws::kCharge) != 0;

/// Position of bodies beyond n: so far away, without mass, radius and charge, that a law yields exactly 0 between them
/// and any other body.
__device__ __forceinline__ float beyond(float) { return 1e18f; }
__device__ __forceinline__ double beyond(double) { return 1e150; }

/// Body i, or an inert one for i >= n. Multiplies masses by `mass_scale`.
template <class Law, class Real>
__device__ __forceinline__ laws::Body<Real> body_at(const DeviceState<Real>& state, u32 i, Real mass_scale) {
  const Real zero = 0;
  if (i >= state.n) {
    const Real far = beyond(zero);
    return {far, far, far, zero, zero, zero, zero, zero, zero};
  }
  const Vec4<Real> position = state.position[i];
  laws::Body<Real> body{position.x, position.y, position.z, position.w * mass_scale, zero, zero, zero, zero, zero};
  if constexpr (kReadsVelocity<Law>) {
    const Vec4<Real> velocity = state.velocity[i];
    body.vx = velocity.x, body.vy = velocity.y, body.vz = velocity.z, body.r = velocity.w;
  }
  if constexpr (kReadsCharge<Law>) {
    if (state.charge != nullptr) body.q = state.charge[i];
  }
  return body;
}

/// Four numbers per slot in shared memory, without bank conflicts between lanes at neighbouring slots.
template <class Real, u32 kSlots>
struct Vec4Store;

template <u32 kSlots>
struct Vec4Store<float, kSlots> {
  float4 all[kSlots];
  __device__ __forceinline__ void put(u32 slot, const Vec4<float>& q) { all[slot] = make_float4(q.x, q.y, q.z, q.w); }
  __device__ __forceinline__ Vec4<float> get(u32 slot) const {
    const float4 v = all[slot];
    return {v.x, v.y, v.z, v.w};
  }
};

template <u32 kSlots>
struct Vec4Store<double, kSlots> {
  double2 first[kSlots], second[kSlots];
  __device__ __forceinline__ void put(u32 slot, const Vec4<double>& q) {
    first[slot] = make_double2(q.x, q.y);
    second[slot] = make_double2(q.z, q.w);
  }
  __device__ __forceinline__ Vec4<double> get(u32 slot) const {
    const double2 v = first[slot], w = second[slot];
    return {v.x, v.y, w.x, w.y};
  }
};

/// Charges in shared memory; without memory for laws that read none.
template <class Real, u32 kSlots>
struct ChargeStore {
  Real charge[kSlots];
};
template <class Real>
struct ChargeStore<Real, 0> {};

/// Bodies in shared memory. x, y, z occupy the second to fourth component of a vector register, while rows, loaded from
/// memory as (x, y, z, m), have them in the first to third: the two operands of x_j - x_i then come from different
/// register banks. (1 to 2 % on an H200.)
template <class Law, class Real, u32 kSlots>
struct BodyStore : ChargeStore<Real, kReadsCharge<Law> ? kSlots : 0> {
  Vec4Store<Real, kSlots> position;
  Vec4Store<Real, kReadsVelocity<Law> ? kSlots : 1> velocity;

  __device__ __forceinline__ void put(u32 slot, const laws::Body<Real>& b) {
    position.put(slot, {b.m, b.x, b.y, b.z});
    if constexpr (kReadsVelocity<Law>) velocity.put(slot, {b.r, b.vx, b.vy, b.vz});
    if constexpr (kReadsCharge<Law>) this->charge[slot] = b.q;
  }
  __device__ __forceinline__ laws::Body<Real> get(u32 slot) const {
    const Vec4<Real> p = position.get(slot);
    laws::Body<Real> body{p.y, p.z, p.w, p.x, Real(0), Real(0), Real(0), Real(0), Real(0)};
    if constexpr (kReadsVelocity<Law>) {
      const Vec4<Real> m = velocity.get(slot);
      body.r = m.x, body.vx = m.y, body.vy = m.z, body.vz = m.w;
    }
    if constexpr (kReadsCharge<Law>) body.q = this->charge[slot];
    return body;
  }
};

/// A partial sum of forces or accelerations.
template <class Real>
struct Sum3 {
  Real x = 0, y = 0, z = 0;
};

__device__ __forceinline__ void add_fast(Vec4<float>* out, const Sum3<float>& s) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (atomicAdd(reinterpret_cast<float4*>(out), make_float4(s.x, s.y, s.z, 0.0f));),
                    (atomicAdd(&out->x, s.x); atomicAdd(&out->y, s.y); atomicAdd(&out->z, s.z);))
}

__device__ __forceinline__ void add_fast(Vec4<double>* out, const Sum3<double>& s) {
  atomicAdd(&out->x, s.x);
  atomicAdd(&out->y, s.y);
  atomicAdd(&out->z, s.z);
}

/// Adds to the sum of body i.
template <bool kOrdered, class Real>
__device__ __forceinline__ void add_sum(const PairSums<Real>& sums, u32 n, u32 i, const Sum3<Real>& s) {
  if constexpr (kOrdered) {
    const u64 stride = 3 * u64{n};
    unsigned long long* const at = sums.bins + i;
    const bool x = add_exactly(at, stride, s.x), y = add_exactly(at + n, stride, s.y);
    const bool z = add_exactly(at + 2 * u64{n}, stride, s.z);
    if (!(x && y && z)) sums.broken[i] = 1;
  } else {
    add_fast(sums.out + i, s);
  }
}

// Output of the fast sums of triples: forces and energy by one vector addition, to this block's copy.

/// Neighbouring blocks use different copies.
template <u32 kCopies, class Real>
__device__ __forceinline__ Vec4<Real>* copy_of_block(Vec4<Real>* copies, u32 n) {
  const u32 copy = (blockIdx.x + 5 * blockIdx.y + 3 * blockIdx.z) % kCopies;
  return copies + u64{copy} * n;
}

__device__ __forceinline__ void add_with_energy(Vec4<float>* out, const Sum3<float>& s, float energy) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (atomicAdd(reinterpret_cast<float4*>(out), make_float4(s.x, s.y, s.z, energy));),
                    (add_fast(out, s); atomicAdd(&out->w, energy);))
}

__device__ __forceinline__ void add_with_energy(Vec4<double>* out, const Sum3<double>& s, double energy) {
  add_fast(out, s);
  atomicAdd(&out->w, energy);
}

}  // namespace tri::cuda
