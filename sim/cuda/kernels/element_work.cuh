#pragma once
/// The kernel with one thread per element of the triangle, and the work of the dummies. Shared by the files that launch
/// it from the host and from the device; the kernel is static, so that each file has its own.

#include "sim/cuda/kernels/element_kernels.hpp"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {

/// Folds coordinates into a register; one final store depends on all of them.
struct HoldWork {
  u32* scratch;
  u32 held = 0;
  __device__ void operator()(u32 i, u32 j) { held += i ^ (j << 16); }
  __device__ void operator()(u32 i, u32 j, u32 k) { held += i ^ (j << 10) ^ (k << 20); }
  __device__ void finish() const {
    if (held == 0xfffffff1u) scratch[0] = held;
  }
};

/// Stores a word that depends on all coordinates, at an index that depends on all.
struct StoreWork {
  u32* scratch;
  __device__ void operator()(u32 i, u32 j) { scratch[(j + i * 1024u) & (kDummySlots - 1)] = i + j; }
  __device__ void operator()(u32 i, u32 j, u32 k) {
    scratch[(i + j * 32u + k * 1024u) & (kDummySlots - 1)] = i + j + k;
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
