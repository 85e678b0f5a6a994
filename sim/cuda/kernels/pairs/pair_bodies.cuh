#pragma once
/// Loading bodies from device memory into registers, and storing sums.

#include <nv/target>

#include "sim/cuda/kernels/pairs/device_state.hpp"
#include "sim/cuda/kernels/pairs/pair_exact.cuh"
#include "sim/laws/terms.hpp"
#include "sim/laws/uses.hpp"

namespace tri::cuda {

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

}  // namespace tri::cuda
