// Plain contiguous stores: the write bandwidth of the device.

#include "sim/cuda/kernels/fill.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 512, kWordsAThread = 16;

__global__ void __launch_bounds__(kThreads) fill_kernel(u64 words, u32 value, u32* __restrict__ out) {
  const u64 first = u64{blockIdx.x} * kThreads * kWordsAThread + threadIdx.x;
#pragma unroll
  for (u32 k = 0; k < kWordsAThread; ++k) {
    const u64 at = first + k * kThreads;
    if (at < words) out[at] = value;
  }
}

}  // namespace

PreparedLaunch prepare_fill(u64 words, u32 value, u32* out) {
  const u64 blocks = (words + kThreads * kWordsAThread - 1) / (kThreads * kWordsAThread);
  PreparedLaunch prepared;
  prepared.launches = blocks > 0 ? 1 : 0;
  prepared.launched = prepared.useful = blocks;
  prepared.launch = [=](cudaStream_t stream, u32) {
    fill_kernel<<<static_cast<u32>(blocks), kThreads, 0, stream>>>(words, value, out);
    check_launch("fill");
  };
  return prepared;
}

}  // namespace tri::cuda
