// Peak rates: blocks that do nothing, and multiply-adds in registers.

#include "sim/cuda/kernels/peak_rates.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

__global__ void empty_kernel() {}

/// Each chain is x = x * a + b with the fixed point a + b = 1, which it never leaves; eight hide the latency of four
/// cycles twice over.
__global__ void __launch_bounds__(kPeakThreads) multiply_add_kernel(u32 turns, float a, float b, float* sums) {
  float x[kPeakChains];
#pragma unroll
  for (u32 c = 0; c < kPeakChains; ++c) x[c] = a + b;
  for (u32 turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (u32 step = 0; step < 4; ++step) {
#pragma unroll
      for (u32 c = 0; c < kPeakChains; ++c) x[c] = fmaf(x[c], a, b);
    }
  }
  float sum = 0;
#pragma unroll
  for (u32 c = 0; c < kPeakChains; ++c) sum += x[c];
  sums[blockIdx.x * kPeakThreads + threadIdx.x] = sum;
}

}  // namespace

PreparedLaunch prepare_empty(u32 blocks) {
  const auto launch = [=](cudaStream_t stream, u32) {
    empty_kernel<<<blocks, kPeakThreads, 0, stream>>>();
    check_launch("empty");
  };
  return {launch, blocks, blocks, 1};
}

PreparedLaunch prepare_multiply_adds(u32 blocks, u32 turns, float* sums) {
  const auto launch = [=](cudaStream_t stream, u32) {
    multiply_add_kernel<<<blocks, kPeakThreads, 0, stream>>>(turns, 0.75f, 0.25f, sums);
    check_launch("multiply-adds");
  };
  return {launch, blocks, blocks, 1};
}

}  // namespace tri::cuda
