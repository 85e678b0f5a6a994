// Kernels of a step: stages, changes of the state, diagnostics, jerks.
//
// Accelerations, kicks and drifts: one thread per body, 256 per block, no shared memory. Loads and stores are whole
// Vec4s; up to some hundred thousand bodies the kernels cost little more than their launch.

#include <algorithm>

#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/model/integrator.hpp"

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

// A grid-stride comparison of 16 bytes at a time; threads that see a difference write the same 1.

namespace {

constexpr u32 kCompareThreads = 256;
constexpr u64 kMaxCompareBlocks = 1024;

__global__ void __launch_bounds__(kCompareThreads) compare(const uint4* a, const uint4* b, u64 count, u32* differ) {
  for (u64 i = u64{blockIdx.x} * kCompareThreads + threadIdx.x; i < count; i += u64{gridDim.x} * kCompareThreads) {
    const uint4 p = a[i], q = b[i];
    if (p.x != q.x || p.y != q.y || p.z != q.z || p.w != q.w) *differ = 1;
  }
}

}  // namespace

void enqueue_compare(cudaStream_t stream, const void* a, const void* b, std::size_t bytes, u32* differ) {
  const u64 count = bytes / sizeof(uint4);
  if (count == 0) return;
  const u64 blocks = std::min<u64>((count + kCompareThreads - 1) / kCompareThreads, kMaxCompareBlocks);
  compare<<<static_cast<u32>(blocks), kCompareThreads, 0, stream>>>(static_cast<const uint4*>(a),
                                                                    static_cast<const uint4*>(b), count, differ);
  check_launch("comparison of two states");
}

// Sums over the bodies: each thread adds its bodies in a grid stride with Neumaier's compensation, a tree in shared
// memory adds the threads of a block, and one block per quantity adds the blocks. The grid depends on n only, and so
// does the order of the additions.

namespace {

constexpr u32 kMaxBlocks = 128;

u32 sum_blocks(u32 n) { return blocks_for(n) < kMaxBlocks ? blocks_for(n) : kMaxBlocks; }

/// A compensated sum. Every operation is rounded separately: a fused one would break the compensation.
struct Sum {
  double value = 0, lost = 0;
  __device__ __forceinline__ void add(double v) {
    const double t = __dadd_rn(value, v);
    const double error = fabs(value) >= fabs(v) ? __dadd_rn(__dsub_rn(value, t), v) : __dadd_rn(__dsub_rn(v, t), value);
    lost = __dadd_rn(lost, error);
    value = t;
  }
  __device__ __forceinline__ void add(const Sum& other) {
    add(other.value);
    lost = __dadd_rn(lost, other.lost);
  }
};

__device__ __forceinline__ double mul(double a, double b) { return __dmul_rn(a, b); }
/// a b - c d, each product rounded.
__device__ __forceinline__ double cross(double a, double b, double c, double d) {
  return __dsub_rn(mul(a, b), mul(c, d));
}
__device__ __forceinline__ double dot(double ax, double ay, double az, double bx, double by, double bz) {
  return __dadd_rn(__dadd_rn(mul(ax, bx), mul(ay, by)), mul(az, bz));
}

template <class Real>
__device__ __forceinline__ void add_body(Sum (&sums)[kBodySums], const OneBodyField& field, const Vec4<Real>& position,
                                         const Vec4<Real>& velocity) {
  const double x = position.x, y = position.y, z = position.z, m = position.w;
  const double vx = velocity.x, vy = velocity.y, vz = velocity.z;
  sums[kKinetic].add(mul(mul(0.5, m), dot(vx, vy, vz, vx, vy, vz)));
  sums[kPotential].add(mul(-m, dot(field.uniform[0], field.uniform[1], field.uniform[2], x, y, z)));
  sums[kMass].add(m);
  sums[kMomentum].add(mul(m, vx)), sums[kMomentum + 1].add(mul(m, vy)), sums[kMomentum + 2].add(mul(m, vz));
  sums[kAngular].add(mul(m, cross(y, vz, z, vy)));
  sums[kAngular + 1].add(mul(m, cross(z, vx, x, vz)));
  sums[kAngular + 2].add(mul(m, cross(x, vy, y, vx)));
  sums[kCentre].add(mul(m, x)), sums[kCentre + 1].add(mul(m, y)), sums[kCentre + 2].add(mul(m, z));
  if (!field.walls.active) return;
  const double at[3] = {x, y, z}, speed[3] = {vx, vy, vz};
  sums[kPotential].add(field.walls(at, speed, static_cast<double>(velocity.w)).potential);
}

/// Adds the sums of all threads of the block; all threads get the result.
__device__ void add_over_block(Sum& sum, Sum* shared) {
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x].add(shared[threadIdx.x + half]);
    __syncthreads();
  }
  sum = shared[0];
  __syncthreads();
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    body_sum_kernel(const StepArrays<Real> arrays, const OneBodyField field, Sum* partial) {
  __shared__ double memory[2 * kThreads];
  Sum* const shared = reinterpret_cast<Sum*>(memory);
  Sum sums[kBodySums];
  for (u64 i = u64{blockIdx.x} * kThreads + threadIdx.x; i < arrays.n; i += u64{gridDim.x} * kThreads) {
    add_body(sums, field, arrays.position[i], arrays.velocity[i]);
  }
#pragma unroll
  for (u32 q = 0; q < kBodySums; ++q) {
    add_over_block(sums[q], shared);
    if (threadIdx.x == 0) partial[q * gridDim.x + blockIdx.x] = sums[q];
  }
}

/// Block q adds the partial sums of quantity q.
__global__ void __launch_bounds__(kMaxBlocks) block_sum_kernel(const Sum* partial, u32 blocks, double* sums) {
  __shared__ double memory[2 * kMaxBlocks];
  Sum sum;
  if (threadIdx.x < blocks) sum = partial[blockIdx.x * blocks + threadIdx.x];
  add_over_block(sum, reinterpret_cast<Sum*>(memory));
  if (threadIdx.x == 0) sums[blockIdx.x] = __dadd_rn(sum.value, sum.lost);
}

__device__ __forceinline__ float length(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }

template <class Real>
__global__ void __launch_bounds__(kThreads)
    instance_kernel(const StepArrays<Real> arrays, const float* scalar, Instance* instances) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= arrays.n) return;
  const Vec4<Real> position = arrays.position[i], velocity = arrays.velocity[i], a = arrays.acceleration[i];
  instances[i] = {
      static_cast<float>(position.x),
      static_cast<float>(position.y),
      static_cast<float>(position.z),
      static_cast<float>(velocity.w),
      length(static_cast<float>(velocity.x), static_cast<float>(velocity.y), static_cast<float>(velocity.z)),
      length(static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)),
      scalar != nullptr ? scalar[i] : static_cast<float>(position.w),
      i};
}

}  // namespace

u32 body_sum_scratch(u32 n) { return 2 * kBodySums * sum_blocks(n); }

template <class Real>
void enqueue_body_sums(cudaStream_t stream, const StepArrays<Real>& arrays, const OneBodyField& field, double* scratch,
                       double* sums) {
  static_assert(sizeof(Sum) == 2 * sizeof(double));
  Sum* const partial = reinterpret_cast<Sum*>(scratch);
  const u32 blocks = sum_blocks(arrays.n);
  body_sum_kernel<<<blocks, kThreads, 0, stream>>>(arrays, field, partial);
  check_launch("sums over bodies");
  block_sum_kernel<<<kBodySums, kMaxBlocks, 0, stream>>>(partial, blocks, sums);
  check_launch("sums over blocks");
}

template <class Real>
void enqueue_instances(cudaStream_t stream, const StepArrays<Real>& arrays, const float* scalar, Instance* instances) {
  instance_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, scalar, instances);
  check_launch("instances");
}

template void enqueue_body_sums(cudaStream_t, const StepArrays<float>&, const OneBodyField&, double*, double*);
template void enqueue_body_sums(cudaStream_t, const StepArrays<double>&, const OneBodyField&, double*, double*);
template void enqueue_instances(cudaStream_t, const StepArrays<float>&, const float*, Instance*);
template void enqueue_instances(cudaStream_t, const StepArrays<double>&, const float*, Instance*);

// Prediction, criterion and correction of steps from jerks: one thread per body, 256 per block.

namespace {

__device__ __forceinline__ u32 this_body() { return blockIdx.x * kThreads + threadIdx.x; }

__device__ __forceinline__ void unpack(const Vec4<double>& q, double (&to)[3]) {
  to[0] = q.x, to[1] = q.y, to[2] = q.z;
}

/// The lowest bits of numbers >= 0 by all threads of a block.
__device__ __forceinline__ void lower(unsigned long long* to, double value) {
  for (u32 half = 16; half > 0; half /= 2) value = fmin(value, __shfl_xor_sync(0xffffffffu, value, half));
  if (threadIdx.x % 32 == 0) atomicMin(to, static_cast<unsigned long long>(__double_as_longlong(value)));
}

__global__ void __launch_bounds__(kThreads)
    complete_kernel(const MotionArrays motion, double x, double y, double z, u32 n, StepReport* report) {
  const u32 i = this_body();
  if (i >= n) return;
  Vec4<double> a = motion.a[i];
  const Vec4<double> j = motion.j[i];
  a.x += x, a.y += y, a.z += z;
  motion.a[i] = a;
  if (!(a.x * 0 + a.y * 0 + a.z * 0 + j.x * 0 + j.y * 0 + j.z * 0 == 0)) atomicMin(&report->bad, i);
}

__global__ void __launch_bounds__(kThreads) predict_kernel(const JerkArrays arrays, double h, bool again) {
  const u32 i = this_body();
  if (i >= arrays.n) return;
  const Vec4<double> p = arrays.position[i], q = arrays.velocity[i];
  double x[3], v[3], rest[3] = {}, a[3], j[3], s[3] = {}, c[3] = {};
  unpack(p, x), unpack(q, v), unpack(arrays.begin.a[i], a), unpack(arrays.begin.j[i], j);
  if (arrays.rest != nullptr) unpack(arrays.rest[i], rest);
  if (again) unpack(arrays.snap[i], s), unpack(arrays.crackle[i], c);
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const laws::Derivatives d{a[k], j[k], s[k], c[k]};
    x[k] += rest[k] + laws::position_change(v[k], d, h);
    v[k] += laws::velocity_change(d, h);
  }
  arrays.trial_position[i] = {x[0], x[1], x[2], p.w};
  arrays.trial_velocity[i] = {v[0], v[1], v[2], q.w};
}

__global__ void __launch_bounds__(kThreads) interpolate_kernel(const JerkArrays arrays, double h, StepReport* report) {
  const u32 i = this_body();
  double begin2 = HUGE_VAL, end2 = HUGE_VAL;
  if (i < arrays.n) {
    double a0[3], j0[3], a1[3], j1[3], s0[3], s1[3], c[3];
    unpack(arrays.begin.a[i], a0), unpack(arrays.begin.j[i], j0);
    unpack(arrays.end.a[i], a1), unpack(arrays.end.j[i], j1);
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      const laws::Derivatives d = laws::interpolated(a0[k], j0[k], a1[k], j1[k], h);
      s0[k] = d.s, c[k] = d.c, s1[k] = d.s + h * d.c;
    }
    arrays.snap[i] = {s0[0], s0[1], s0[2], 0.0};
    arrays.crackle[i] = {c[0], c[1], c[2], 0.0};
    begin2 = laws::aarseth_step2(a0, j0, s0, c);
    end2 = laws::aarseth_step2(a1, j1, s1, c);
  }
  lower(&report->begin2, begin2);
  lower(&report->end2, end2);
}

__global__ void __launch_bounds__(kThreads) correct_kernel(const JerkArrays arrays, double h) {
  const u32 i = this_body();
  if (i >= arrays.n) return;
  const Vec4<double> p = arrays.position[i], q = arrays.velocity[i];
  double x[3], v[3], rest[3], a0[3], j0[3], a1[3], j1[3];
  unpack(p, x), unpack(q, v), unpack(arrays.rest[i], rest);
  unpack(arrays.begin.a[i], a0), unpack(arrays.begin.j[i], j0);
  unpack(arrays.end.a[i], a1), unpack(arrays.end.j[i], j1);
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const double v1 = v[k] + laws::corrected_change(a0[k], j0[k], a1[k], j1[k], h);
    const laws::Carried sum = laws::carried_sum(x[k], rest[k], laws::corrected_change(v[k], a0[k], v1, a1[k], h));
    x[k] = sum.value, rest[k] = sum.rest, v[k] = v1;
  }
  arrays.position[i] = {x[0], x[1], x[2], p.w};
  arrays.velocity[i] = {v[0], v[1], v[2], q.w};
  arrays.rest[i] = {rest[0], rest[1], rest[2], 0.0};
}

__global__ void __launch_bounds__(kThreads) drift_kernel(const JerkArrays arrays, double h) {
  const u32 i = this_body();
  if (i >= arrays.n) return;
  const Vec4<double> p = arrays.position[i], v = arrays.velocity[i], a = arrays.begin.a[i];
  arrays.trial_position[i] = {p.x + h * (v.x + h / 2 * a.x), p.y + h * (v.y + h / 2 * a.y),
                              p.z + h * (v.z + h / 2 * a.z), p.w};
  arrays.trial_velocity[i] = v;
}

__global__ void __launch_bounds__(kThreads) kicks_kernel(const JerkArrays arrays, double h) {
  const u32 i = this_body();
  if (i >= arrays.n) return;
  const Vec4<double> v = arrays.velocity[i], a = arrays.begin.a[i], b = arrays.end.a[i];
  arrays.position[i] = arrays.trial_position[i];
  arrays.velocity[i] = {v.x + h / 2 * (a.x + b.x), v.y + h / 2 * (a.y + b.y), v.z + h / 2 * (a.z + b.z), v.w};
}

}  // namespace

void enqueue_reset(cudaStream_t stream, StepReport* report) {
  TRI_CUDA(cudaMemsetAsync(report, 0xff, sizeof *report, stream));
  TRI_CUDA(cudaMemsetAsync(&report->rates, 0, sizeof report->rates, stream));
}

void enqueue_complete(cudaStream_t stream, const MotionArrays& motion, const double (&uniform)[3], u32 n,
                      StepReport* report) {
  complete_kernel<<<blocks_for(n), kThreads, 0, stream>>>(motion, uniform[0], uniform[1], uniform[2], n, report);
  check_launch("accelerations and jerks");
}

void enqueue_predict(cudaStream_t stream, const JerkArrays& arrays, double h, bool again) {
  predict_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, h, again);
  check_launch("prediction");
}

void enqueue_interpolate(cudaStream_t stream, const JerkArrays& arrays, double h, StepReport* report) {
  interpolate_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, h, report);
  check_launch("interpolation");
}

void enqueue_correct(cudaStream_t stream, const JerkArrays& arrays, double h) {
  correct_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, h);
  check_launch("correction");
}

void enqueue_drift(cudaStream_t stream, const JerkArrays& arrays, double h) {
  drift_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, h);
  check_launch("drift");
}

void enqueue_kicks(cudaStream_t stream, const JerkArrays& arrays, double h) {
  kicks_kernel<<<blocks_for(arrays.n), kThreads, 0, stream>>>(arrays, h);
  check_launch("kicks");
}

}  // namespace tri::cuda
