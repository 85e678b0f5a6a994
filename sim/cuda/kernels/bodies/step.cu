// Accelerations, kicks and drifts: one thread a body, 256 a block, no shared memory. Every load and store is a whole
// Quad, so the kernels cost little more than their launch up to some hundred thousand bodies.

#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;

u32 blocks_for(u32 n) { return (n + kThreads - 1) / kThreads; }

/// Finite times 0 is 0; anything else is a NaN.
template <class Real>
__device__ __forceinline__ bool finite3(const Quad<Real>& q) {
  return q.a * Real(0) + q.b * Real(0) + q.c * Real(0) == Real(0);
}

/// Uniform field, walls and the sums, added in float64 and rounded once.
template <class Real>
__device__ __forceinline__ Quad<Real> acceleration_of(const BodyField<Real>& field, const Quad<Real>& place,
                                                      const Quad<Real>& motion, const Quad<Real>& sum,
                                                      const Quad<Real>& triple) {
  const Real position[3] = {place.a, place.b, place.c};
  const Real velocity[3] = {motion.a, motion.b, motion.c};
  const laws::WallTerm<Real> wall = field.walls(position, velocity, motion.d);
  double a[3] = {field.uniform[0], field.uniform[1], field.uniform[2]};
  double force[3] = {static_cast<double>(wall.fx), static_cast<double>(wall.fy), static_cast<double>(wall.fz)};
  if (field.pairs) {
    double* const to = field.accelerations ? a : force;
    to[0] += static_cast<double>(sum.a), to[1] += static_cast<double>(sum.b), to[2] += static_cast<double>(sum.c);
  }
  if (field.triples) {
    force[0] += static_cast<double>(triple.a), force[1] += static_cast<double>(triple.b);
    force[2] += static_cast<double>(triple.c);
  }
  // A body without mass feels accelerations only.
  const double m = static_cast<double>(place.d);
  const double per_mass = m > 0 ? 1.0 / m : 0.0;
  return {static_cast<Real>(a[0] + per_mass * force[0]), static_cast<Real>(a[1] + per_mass * force[1]),
          static_cast<Real>(a[2] + per_mass * force[2]), Real(0)};
}

/// v + t a, with one rounding, whatever the compiler makes of it elsewhere: settle looks at the very bits that move
/// will write.
__device__ __forceinline__ float advanced(float t, float a, float v) { return fmaf(t, a, v); }
__device__ __forceinline__ double advanced(double t, double a, double v) { return fma(t, a, v); }

template <class Real>
__device__ __forceinline__ void apply(const BodyField<Real>& field, typename Moves<Real>::Kind kind, Real t,
                                      Quad<Real>& place, Quad<Real>& motion, const Quad<Real>& a) {
  using Kind = typename Moves<Real>::Kind;
  if (kind == Kind::kick) {
    motion.a = advanced(t, a.a, motion.a);
    motion.b = advanced(t, a.b, motion.b);
    motion.c = advanced(t, a.c, motion.c);
  } else if (kind == Kind::drift) {
    place.a = advanced(t, motion.a, place.a);
    place.b = advanced(t, motion.b, place.b);
    place.c = advanced(t, motion.c, place.c);
    if (field.mirrors) {
      laws::mirror(place.a, motion.a, field.low[0], field.high[0]);
      laws::mirror(place.b, motion.b, field.low[1], field.high[1]);
      laws::mirror(place.c, motion.c, field.low[2], field.high[2]);
    } else if (field.impulse.image.periodic) {
      laws::wrap(place.a, field.low[0], field.high[0]);
      laws::wrap(place.b, field.low[1], field.high[1]);
      laws::wrap(place.c, field.low[2], field.high[2]);
    }
  } else if (field.wall_impulses) {
    laws::ImpulseRule<Real> rule = field.impulse;
    rule.step = t;
    laws::meet_walls(rule, place.a, motion.a, motion.d, field.low[0], field.high[0]);
    laws::meet_walls(rule, place.b, motion.b, motion.d, field.low[1], field.high[1]);
    laws::meet_walls(rule, place.c, motion.c, motion.d, field.low[2], field.high[2]);
  }
}

/// The guard of this segment: its number, and what was found up to now. Read past the first-level cache, which other
/// blocks' findings do not reach.
struct Watch {
  u32 segment;
  unsigned long long first;
  __device__ __forceinline__ Watch(const Guard* guard, u32 number)
      : segment(guard->base + number), first(__ldcg(&guard->first)) {}
  /// Whether an earlier segment found a fault, or this one has no forces.
  __device__ __forceinline__ bool stopped() const {
    return first >> 34 < segment || (here() && fault() == Fault::contacts);
  }
  /// Whether this one did.
  __device__ __forceinline__ bool here() const { return first >> 34 == segment; }
  __device__ __forceinline__ Fault fault() const { return static_cast<Fault>(first >> 32 & 3u); }
};

template <class Real>
__global__ void __launch_bounds__(kThreads) settle_kernel(const StepArrays<Real> arrays, const BodyField<Real> field,
                                                          const Moves<Real> moves, u32 number, bool combine) {
  const Watch watch(arrays.guard, number);
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (watch.stopped() || i >= arrays.n) return;
  Quad<Real> place = arrays.place[i], motion = arrays.motion[i];
  Quad<Real> a;
  if (combine) {
    a = acceleration_of(field, place, motion, field.pairs ? arrays.sums[i] : Quad<Real>{},
                        field.triples ? arrays.triples[i] : Quad<Real>{});
    arrays.acceleration[i] = a;
    if (!finite3(a)) {
      atomicMin(&arrays.guard->first, Guard::key(watch.segment, Fault::acceleration, i));
      return;
    }
  } else {
    a = arrays.acceleration[i];
  }
  if (moves.end == Moves<Real>::kNoEnd) return;
  for (u32 k = 0; k < moves.end; ++k) apply(field, moves.kind[k], moves.time[k], place, motion, a);
  if (!finite3(place) || !finite3(motion)) {
    atomicMin(&arrays.guard->first, Guard::key(watch.segment, Fault::state, i));
  }
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    move_kernel(const StepArrays<Real> arrays, const BodyField<Real> field, const Moves<Real> moves, u32 number) {
  const Watch watch(arrays.guard, number);
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (watch.stopped() || i >= arrays.n) return;
  u32 count = moves.count;
  if (watch.here()) {
    if (watch.fault() == Fault::acceleration) return;
    count = moves.end;  // the state that holds the bad number, and no further
  }
  Quad<Real> place = arrays.place[i], motion = arrays.motion[i];
  const Quad<Real> a = arrays.acceleration[i];
  for (u32 k = 0; k < count; ++k) apply(field, moves.kind[k], moves.time[k], place, motion, a);
  arrays.place[i] = place;
  arrays.motion[i] = motion;
}

__global__ void count_kernel(Guard* guard, u32 segments) { guard->base += segments; }

}  // namespace

template <class Real>
void enqueue_settle(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                    const Moves<Real>& moves, u32 segment, bool combine) {
  settle_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, field, moves, segment, combine);
  check_launch("accelerations");
}

template <class Real>
void enqueue_move(cudaStream_t stream, const StepArrays<Real>& arrays, const BodyField<Real>& field,
                  const Moves<Real>& moves, u32 segment) {
  move_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, field, moves, segment);
  check_launch("kicks and drifts");
}

void enqueue_count(cudaStream_t stream, Guard* guard, u32 segments) {
  count_kernel<<<1, 1, 0, stream>>>(guard, segments);
  check_launch("count of segments");
}

template void enqueue_settle(cudaStream_t, const StepArrays<float>&, const BodyField<float>&, const Moves<float>&, u32,
                             bool);
template void enqueue_settle(cudaStream_t, const StepArrays<double>&, const BodyField<double>&, const Moves<double>&,
                             u32, bool);
template void enqueue_move(cudaStream_t, const StepArrays<float>&, const BodyField<float>&, const Moves<float>&, u32);
template void enqueue_move(cudaStream_t, const StepArrays<double>&, const BodyField<double>&, const Moves<double>&,
                           u32);

}  // namespace tri::cuda
