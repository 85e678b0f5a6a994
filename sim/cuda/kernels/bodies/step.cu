// Accelerations, kicks and drifts: one thread per body, 256 per block, no shared memory. Loads and stores are whole
// Vec4s; up to some hundred thousand bodies the kernels cost little more than their launch.

#include "sim/cuda/kernels/bodies/fault_state.cuh"
#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;

u32 blocks_for(u32 n) { return (n + kThreads - 1) / kThreads; }

/// x * 0 is 0 for finite x and NaN otherwise.
template <class Real>
__device__ __forceinline__ bool finite3(const Vec4<Real>& q) {
  return q.x * Real(0) + q.y * Real(0) + q.z * Real(0) == Real(0);
}

/// The sum of uniform field, walls and laws, in float64, rounded once.
template <class Real>
__device__ __forceinline__ Vec4<Real> acceleration_of(const BodyField<Real>& field, const Vec4<Real>& position,
                                                      const Vec4<Real>& velocity, const Vec4<Real>& sum,
                                                      const Vec4<Real>& triple) {
  const Real at[3] = {position.x, position.y, position.z};
  const Real speed[3] = {velocity.x, velocity.y, velocity.z};
  const laws::WallTerm<Real> wall = field.walls(at, speed, velocity.w);
  double a[3] = {field.uniform[0], field.uniform[1], field.uniform[2]};
  double force[3] = {static_cast<double>(wall.fx), static_cast<double>(wall.fy), static_cast<double>(wall.fz)};
  if (field.pairs) {
    double* const to = field.accelerations ? a : force;
    to[0] += static_cast<double>(sum.x), to[1] += static_cast<double>(sum.y), to[2] += static_cast<double>(sum.z);
  }
  if (field.triples) {
    force[0] += static_cast<double>(triple.x), force[1] += static_cast<double>(triple.y);
    force[2] += static_cast<double>(triple.z);
  }
  // A body of mass 0 responds to accelerations only.
  const double m = static_cast<double>(position.w);
  const double per_mass = m > 0 ? 1.0 / m : 0.0;
  return {static_cast<Real>(a[0] + per_mass * force[0]), static_cast<Real>(a[1] + per_mass * force[1]),
          static_cast<Real>(a[2] + per_mass * force[2]), Real(0)};
}

/// v + t a, rounded once regardless of compiler flags: combine_accelerations must test the same bits that kick_drift
/// writes.
__device__ __forceinline__ float advanced(float t, float a, float v) { return fmaf(t, a, v); }
__device__ __forceinline__ double advanced(double t, double a, double v) { return fma(t, a, v); }

template <class Real>
__device__ __forceinline__ void apply(const BodyField<Real>& field, typename KickDrifts<Real>::Kind kind, Real t,
                                      Vec4<Real>& position, Vec4<Real>& velocity, const Vec4<Real>& a) {
  using Kind = typename KickDrifts<Real>::Kind;
  if (kind == Kind::kick) {
    velocity.x = advanced(t, a.x, velocity.x);
    velocity.y = advanced(t, a.y, velocity.y);
    velocity.z = advanced(t, a.z, velocity.z);
  } else if (kind == Kind::drift) {
    position.x = advanced(t, velocity.x, position.x);
    position.y = advanced(t, velocity.y, position.y);
    position.z = advanced(t, velocity.z, position.z);
    if (field.mirrors) {
      laws::mirror(position.x, velocity.x, field.low[0], field.high[0]);
      laws::mirror(position.y, velocity.y, field.low[1], field.high[1]);
      laws::mirror(position.z, velocity.z, field.low[2], field.high[2]);
    } else if (field.impulse.image.periodic) {
      laws::wrap(position.x, field.low[0], field.high[0]);
      laws::wrap(position.y, field.low[1], field.high[1]);
      laws::wrap(position.z, field.low[2], field.high[2]);
    }
  } else if (field.wall_impulses) {
    laws::ImpulseRule<Real> rule = field.impulse;
    rule.step = t;
    laws::meet_walls(rule, position.x, velocity.x, velocity.w, field.low[0], field.high[0]);
    laws::meet_walls(rule, position.y, velocity.y, velocity.w, field.low[1], field.high[1]);
    laws::meet_walls(rule, position.z, velocity.z, velocity.w, field.low[2], field.high[2]);
  }
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    combine_accelerations_kernel(const StepArrays<Real> arrays, const BodyField<Real> field,
                                 const KickDrifts<Real> moves, u32 number, bool combine) {
  const FaultState state(arrays.fault_flag, number);
  u32 i;
  if (state.stopped() || !arrays.place_of(blockIdx.x * kThreads + threadIdx.x, i)) return;
  Vec4<Real> position = arrays.position[i], velocity = arrays.velocity[i];
  Vec4<Real> a;
  if (combine) {
    a = acceleration_of(field, position, velocity, field.pairs ? arrays.sums[i] : Vec4<Real>{},
                        field.triples ? arrays.triples[i] : Vec4<Real>{});
    arrays.acceleration[i] = a;
    if (!finite3(a)) {
      atomicMin(&arrays.fault_flag->first, FaultFlag::key(state.segment, Fault::acceleration, arrays.number_of(i)));
      return;
    }
  } else {
    a = arrays.acceleration[i];
  }
  if (moves.end == KickDrifts<Real>::kNoEnd) return;
  for (u32 k = 0; k < moves.end; ++k) apply(field, moves.kind[k], moves.time[k], position, velocity, a);
  if (!finite3(position) || !finite3(velocity)) {
    atomicMin(&arrays.fault_flag->first, FaultFlag::key(state.segment, Fault::state, arrays.number_of(i)));
  }
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    kick_drift_kernel(const StepArrays<Real> arrays, const BodyField<Real> field, const KickDrifts<Real> moves,
                      u32 number) {
  const FaultState state(arrays.fault_flag, number);
  u32 i;
  if (state.stopped() || !arrays.place_of(blockIdx.x * kThreads + threadIdx.x, i)) return;
  u32 count = moves.count;
  if (state.here()) {
    if (state.fault() == Fault::acceleration) return;
    count = moves.end;  // up to the state with the bad number
  }
  Vec4<Real> position = arrays.position[i], velocity = arrays.velocity[i];
  const Vec4<Real> a = arrays.acceleration[i];
  for (u32 k = 0; k < count; ++k) apply(field, moves.kind[k], moves.time[k], position, velocity, a);
  arrays.position[i] = position;
  arrays.velocity[i] = velocity;
}

__global__ void count_kernel(FaultFlag* fault_flag, u32 segments) { fault_flag->base += segments; }

}  // namespace

template <class Real>
void enqueue_combine_accelerations(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                                   const KickDrifts<Real>& moves, u32 segment, bool combine) {
  combine_accelerations_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, field, moves, segment, combine);
  check_launch("accelerations");
}

template <class Real>
void enqueue_kick_drift(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                        const KickDrifts<Real>& moves, u32 segment) {
  kick_drift_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, field, moves, segment);
  check_launch("kicks and drifts");
}

void enqueue_count(cudaStream_t stream, FaultFlag* fault_flag, u32 segments) {
  count_kernel<<<1, 1, 0, stream>>>(fault_flag, segments);
  check_launch("count of segments");
}

template void enqueue_combine_accelerations(cudaStream_t, const StepArrays<float>&, const BodyField<float>&,
                                            const KickDrifts<float>&, u32, bool);
template void enqueue_combine_accelerations(cudaStream_t, const StepArrays<double>&, const BodyField<double>&,
                                            const KickDrifts<double>&, u32, bool);
template void enqueue_kick_drift(cudaStream_t, const StepArrays<float>&, const BodyField<float>&,
                                 const KickDrifts<float>&, u32);
template void enqueue_kick_drift(cudaStream_t, const StepArrays<double>&, const BodyField<double>&,
                                 const KickDrifts<double>&, u32);

}  // namespace tri::cuda
