// Prediction, criterion and correction of steps from jerks: one thread per body, 256 per block.

#include "sim/cuda/kernels/bodies/jerk_step.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/laws/hermite_step.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;

u32 blocks_for(u32 n) { return (n + kThreads - 1) / kThreads; }

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
