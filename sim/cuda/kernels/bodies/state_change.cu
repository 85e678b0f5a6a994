// A grid-stride comparison of 16 bytes at a time; threads that see a difference write the same 1.

#include <algorithm>

#include "sim/cuda/kernels/bodies/state_change.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
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

}  // namespace tri::cuda
