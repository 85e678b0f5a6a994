#pragma once
/// The kernel with one thread per element, and the work it does. Shared by the files that launch it from the host and
/// from the device; the kernel is static, so that each file has its own.

#include "sim/cuda/kernels/element_kernels.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {

/// Folds coordinates into a register; one final store depends on all of them.
struct HoldWork {
  u32* scratch;
  u32 held = 0;
  __device__ void operator()(u32 i, u32 j) { held += i ^ (j << 16); }
  __device__ void finish() const {
    if (held == 0xfffffff1u) scratch[0] = held;
  }
};

/// Stores a word that depends on both coordinates, at an index that depends on both.
struct StoreWork {
  u32* scratch;
  __device__ void operator()(u32 i, u32 j) { scratch[(j + i * 1024u) & (kDummySlots - 1)] = i + j; }
  __device__ void finish() const {}
};

struct WriteWork {
  u32* cells;
  __device__ void operator()(u32 i, u32 j) { atomicAdd(&cells[triangular_of_row(i) + j], 1u); }
  __device__ void finish() const {}
};

/// A hash of (i, j) whose sum distinguishes multisets (the finaliser of splitmix64).
__device__ __forceinline__ u64 element_hash(u32 i, u32 j) {
  u64 z = (u64{i} << 32 | j) + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

struct ChecksumWork {
  unsigned long long* sums;
  unsigned long long count = 0;
  unsigned long long hash = 0;
  __device__ void operator()(u32 i, u32 j) {
    ++count;
    hash += element_hash(i, j);
  }
  /// Whole warps add up first, and blocks spread over the slots, so that the additions do not queue for one word.
  __device__ void finish() {
    const u32 threads = blockDim.x * blockDim.y, thread = threadIdx.x + threadIdx.y * blockDim.x;
    bool adds = count != 0;
    if (threads % 32 == 0) {
      for (u32 step = 16; step != 0; step >>= 1) {
        count += __shfl_down_sync(~0u, count, step);
        hash += __shfl_down_sync(~0u, hash, step);
      }
      adds = thread % 32 == 0 && count != 0;
    }
    if (!adds) return;
    const u32 slot = (blockIdx.x + blockIdx.y * 613u + thread / 32) & (kChecksumSlots - 1);
    atomicAdd(&sums[slot], count);
    atomicAdd(&sums[kChecksumSlots + slot], hash);
  }
};

struct AutomatonWork {
  const u8* now;
  u8* next;
  u32 n;
  __device__ u32 alive(u32 i, u32 j) const {
    // Left of column 0 j wraps to a huge number, which is > i like everything above the diagonal.
    return i < n && j <= i ? now[u64{i} * n + j] : 0;
  }
  __device__ void operator()(u32 i, u32 j) {
    const u32 around = alive(i - 1, j - 1) + alive(i - 1, j) + alive(i - 1, j + 1) + alive(i, j - 1) + alive(i, j + 1) +
                       alive(i + 1, j - 1) + alive(i + 1, j) + alive(i + 1, j + 1);
    next[u64{i} * n + j] = around == 3 || (around == 2 && alive(i, j));
  }
  __device__ void finish() const {}
};

/// Work: a value with operator()(i, j), called for each element of the thread, and finish(), called after the last.
template <class M, class Work>
static __global__ void element_kernel(const M map, const GridPiece piece, u32 n, Work work) {
  for_each_element(map, piece, n, [&](u32 i, u32 j) { work(i, j); });
  work.finish();
}

}  // namespace tri::cuda
