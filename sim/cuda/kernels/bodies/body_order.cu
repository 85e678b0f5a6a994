// The order of bodies along a Hilbert curve (J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381,
// 2004).

#include "sim/cuda/kernels/bodies/body_order.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <numeric>
#include <vector>

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 128;
constexpr u32 kBits = 16;  ///< of each coordinate in a key
constexpr u32 kBoxBlocks = 128;

/// Floats as integers in the same order.
__device__ __forceinline__ u32 ordered(float x) {
  const u32 bits = __float_as_uint(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float from_ordered(u32 x) { return __uint_as_float(x >> 31 ? x & 0x7fffffffu : ~x); }

/// box: the least x, y, z, which begin as all ones, and the largest, which begin as 0.
__global__ void __launch_bounds__(kThreads) box_kernel(const DeviceState<float> state, u32* box) {
  u32 low[3] = {~0u, ~0u, ~0u}, high[3] = {0, 0, 0};
  for (u32 i = blockIdx.x * kThreads + threadIdx.x; i < state.n; i += gridDim.x * kThreads) {
    const Vec4<float> p = state.position[i];
    const float at[3] = {p.x, p.y, p.z};
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      if (!isfinite(at[k])) continue;
      low[k] = min(low[k], ordered(at[k]));
      high[k] = max(high[k], ordered(at[k]));
    }
  }
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    for (u32 step = 16; step > 0; step /= 2) {
      low[k] = min(low[k], __shfl_xor_sync(~0u, low[k], step));
      high[k] = max(high[k], __shfl_xor_sync(~0u, high[k], step));
    }
    if (threadIdx.x % 32 == 0) atomicMin(box + k, low[k]), atomicMax(box + 3 + k, high[k]);
  }
}

/// Interleaves the bits of three coordinates, so that neighbouring keys are neighbouring cells.
__device__ u64 hilbert_key(u32 x, u32 y, u32 z) {
  u32 c[3] = {x, y, z};
  for (u32 bit = 1u << (kBits - 1); bit > 1; bit >>= 1) {
    const u32 lower = bit - 1;
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      if (c[k] & bit) {
        c[0] ^= lower;
      } else {
        const u32 swapped = (c[0] ^ c[k]) & lower;
        c[0] ^= swapped, c[k] ^= swapped;
      }
    }
  }
  c[1] ^= c[0], c[2] ^= c[1];
  u32 gray = 0;
  for (u32 bit = 1u << (kBits - 1); bit > 1; bit >>= 1) {
    if (c[2] & bit) gray ^= bit - 1;
  }
  u64 key = 0;
  for (u32 b = kBits; b-- > 0;) {
#pragma unroll
    for (u32 k = 0; k < 3; ++k) key = key << 1 | ((c[k] ^ gray) >> b & 1);
  }
  return key;
}

__global__ void __launch_bounds__(kThreads)
    key_kernel(const DeviceState<float> state, const u32* box, u64* keys, u32* identity) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= state.n) return;
  float low[3], extent = 0;
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    low[k] = from_ordered(box[k]);
    extent = fmaxf(extent, from_ordered(box[3 + k]) - low[k]);
  }
  const Vec4<float> p = state.position[i];
  const float scale = ((1u << kBits) - 1) / extent;
  const u32 most = (1u << kBits) - 1;
  // A number that is not finite becomes 0 or the largest.
  const auto cell = [&](float x, float from) { return min(__float2uint_rz((x - from) * scale), most); };
  keys[i] = hilbert_key(cell(p.x, low[0]), cell(p.y, low[1]), cell(p.z, low[2]));
  identity[i] = i;
}

std::size_t sort_scratch_bytes(u32 n) {
  std::size_t bytes = 0;
  const u64* const keys = nullptr;
  const u32* const values = nullptr;
  TRI_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, static_cast<u64*>(nullptr), values,
                                           static_cast<u32*>(nullptr), n, 0, 3 * kBits));
  return bytes;
}

}  // namespace

BodyOrder::BodyOrder(u32 n) : order_(n), identity_(n), box_(6), keys_(n), sorted_(n), sort_(sort_scratch_bytes(n)) {}

// Indices and keys, each before and after the sort, and once more while it works.
u64 BodyOrder::bytes(u64 n) { return 3 * n * (sizeof(u32) + sizeof(u64)); }

void BodyOrder::take_any() {
  std::vector<u32> as_given(order_.size());
  std::iota(as_given.begin(), as_given.end(), 0u);
  order_.upload(as_given, nullptr);
}

void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, BodyOrder& to) {
  u32* const box = to.box_.data();
  TRI_CUDA(cudaMemsetAsync(box, 0xff, 3 * sizeof(u32), stream));
  TRI_CUDA(cudaMemsetAsync(box + 3, 0, 3 * sizeof(u32), stream));
  const u32 blocks = (state.n + kThreads - 1) / kThreads, box_blocks = blocks < kBoxBlocks ? blocks : kBoxBlocks;
  box_kernel<<<box_blocks, kThreads, 0, stream>>>(state, box);
  check_launch("box of the bodies");
  key_kernel<<<blocks, kThreads, 0, stream>>>(state, box, to.keys_.data(), to.identity_.data());
  check_launch("keys of bodies");
  std::size_t bytes = to.sort_.size();
  TRI_CUDA(cub::DeviceRadixSort::SortPairs(to.sort_.data(), bytes, to.keys_.data(), to.sorted_.data(),
                                           to.identity_.data(), to.order_.data(), state.n, 0, 3 * kBits, stream));
}

}  // namespace tri::cuda
