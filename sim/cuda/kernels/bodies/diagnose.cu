// Sums over the bodies: each thread adds its bodies in a grid stride with Neumaier's compensation, a tree in shared
// memory adds the threads of a block, and one block per quantity adds the blocks. The grid depends on n only, and so
// does the order of the additions.

#include "sim/cuda/kernels/bodies/diagnose.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kMaxBlocks = 128;

u32 blocks_for(u32 n) { return (n + kThreads - 1) / kThreads; }
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

}  // namespace tri::cuda
