#pragma once
/// Bodies on their way from device memory to registers, and sums on their way back.

#include <nv/target>

#include "sim/cuda/kernels/pairs/device_state.hpp"
#include "sim/cuda/kernels/pairs/pair_exact.cuh"
#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/laws/terms.hpp"
#include "sim/laws/uses.hpp"

namespace tri::cuda {

template <class Law>
inline constexpr bool kReadsMotion = (Law::kUses & (laws::kVelocity | laws::kRadius)) != 0;

/// Where bodies beyond n stand: so far off, without mass and radius, that a law gives exactly 0 between them and any
/// other body.
__device__ __forceinline__ float beyond(float) { return 1e18f; }
__device__ __forceinline__ double beyond(double) { return 1e150; }

/// Body i, or one that does nothing for i >= n. Masses come multiplied by `mass_scale`.
template <class Law, class Real>
__device__ __forceinline__ laws::Body<Real> body_at(const DeviceState<Real>& state, u32 i, Real mass_scale) {
  const Real zero = 0;
  if (i >= state.n) {
    const Real far = beyond(zero);
    return {far, far, far, zero, zero, zero, zero, zero};
  }
  const Quad<Real> place = state.place[i];
  laws::Body<Real> body{place.a, place.b, place.c, place.d * mass_scale, zero, zero, zero, zero};
  if constexpr (kReadsMotion<Law>) {
    const Quad<Real> motion = state.motion[i];
    body.vx = motion.a, body.vy = motion.b, body.vz = motion.c, body.r = motion.d;
  }
  return body;
}

/// Four numbers a slot in shared memory, without bank conflicts between lanes at neighbouring slots.
template <class Real, u32 kSlots>
struct QuadStore;

template <u32 kSlots>
struct QuadStore<float, kSlots> {
  float4 all[kSlots];
  __device__ __forceinline__ void put(u32 slot, const Quad<float>& q) { all[slot] = make_float4(q.a, q.b, q.c, q.d); }
  __device__ __forceinline__ Quad<float> get(u32 slot) const {
    const float4 v = all[slot];
    return {v.x, v.y, v.z, v.w};
  }
};

template <u32 kSlots>
struct QuadStore<double, kSlots> {
  double2 first[kSlots], second[kSlots];
  __device__ __forceinline__ void put(u32 slot, const Quad<double>& q) {
    first[slot] = make_double2(q.a, q.b);
    second[slot] = make_double2(q.c, q.d);
  }
  __device__ __forceinline__ Quad<double> get(u32 slot) const {
    const double2 v = first[slot], w = second[slot];
    return {v.x, v.y, w.x, w.y};
  }
};

/// Bodies in shared memory. x, y, z take the second to fourth place of a vector register where rows, loaded from memory
/// as (x, y, z, m), have them in the first to third: the two operands of x_j - x_i then come from different register
/// banks. (1 to 2 % on an H200.)
template <class Law, class Real, u32 kSlots>
struct BodyStore {
  QuadStore<Real, kSlots> place;
  QuadStore<Real, kReadsMotion<Law> ? kSlots : 1> motion;

  __device__ __forceinline__ void put(u32 slot, const laws::Body<Real>& b) {
    place.put(slot, {b.m, b.x, b.y, b.z});
    if constexpr (kReadsMotion<Law>) motion.put(slot, {b.r, b.vx, b.vy, b.vz});
  }
  __device__ __forceinline__ laws::Body<Real> get(u32 slot) const {
    const Quad<Real> p = place.get(slot);
    laws::Body<Real> body{p.b, p.c, p.d, p.a, Real(0), Real(0), Real(0), Real(0)};
    if constexpr (kReadsMotion<Law>) {
      const Quad<Real> m = motion.get(slot);
      body.r = m.a, body.vx = m.b, body.vy = m.c, body.vz = m.d;
    }
    return body;
  }
};

/// A sum of forces or accelerations on its way.
template <class Real>
struct Sum3 {
  Real x = 0, y = 0, z = 0;
};

__device__ __forceinline__ void add_fast(Quad<float>* out, const Sum3<float>& s) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (atomicAdd(reinterpret_cast<float4*>(out), make_float4(s.x, s.y, s.z, 0.0f));),
                    (atomicAdd(&out->a, s.x); atomicAdd(&out->b, s.y); atomicAdd(&out->c, s.z);))
}

__device__ __forceinline__ void add_fast(Quad<double>* out, const Sum3<double>& s) {
  atomicAdd(&out->a, s.x);
  atomicAdd(&out->b, s.y);
  atomicAdd(&out->c, s.z);
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

}  // namespace tri::cuda
