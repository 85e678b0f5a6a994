#pragma once
/// The work of the kernels with one thread an element, and the loop of a thread over its triples. Shared by the files
/// that launch these kernels from the host, from the device, and compiled at run time.
///
/// Work: a value with operator()(i, j) or (i, j, k), called for each element of the thread, finish(), called after the
/// last, and kType, the name of its type.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/maps/tetra_stream.hpp"

namespace tri::cuda {

/// Folds coordinates into a register; one final store depends on all of them.
struct HoldWork {
  static constexpr const char* kType = "HoldWork";
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
  static constexpr const char* kType = "StoreWork";
  u32* scratch;
  __device__ void operator()(u32 i, u32 j) { scratch[(j + i * 1024u) & (kDummySlots - 1)] = i + j; }
  __device__ void operator()(u32 i, u32 j, u32 k) {
    scratch[(i + j * 32u + k * 1024u) & (kDummySlots - 1)] = i + j + k;
  }
  __device__ void finish() const {}
};

struct WriteWork {
  static constexpr const char* kType = "WriteWork";
  u32* cells;
  __device__ void operator()(u32 i, u32 j) { atomicAdd(&cells[triangular_of_row(i) + j], 1u); }
  __device__ void operator()(u32 i, u32 j, u32 k) {
    atomicAdd(&cells[tetrahedral_of_layer(k) + triangular_of_row(j) + i], 1u);
  }
  __device__ void finish() const {}
};

/// The finaliser of splitmix64: sums of hashes distinguish multisets.
__device__ __forceinline__ u64 hash_of(u64 element) {
  u64 z = element + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

template <class MapId>
struct ChecksumWork;

template <>
struct ChecksumWork<TriangleMapId> {
  static constexpr const char* kType = "ChecksumWork<TriangleMapId>";
  unsigned long long* sums;
  unsigned long long count = 0;
  unsigned long long hash = 0;
  __device__ void operator()(u32 i, u32 j) {
    ++count;
    hash += hash_of(u64{i} << 32 | j);
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

template <>
struct ChecksumWork<TetraMapId> {
  static constexpr const char* kType = "ChecksumWork<TetraMapId>";
  unsigned long long* sums;
  unsigned long long count = 0, hash = 0, product = 0;
  __device__ void operator()(u32 i, u32 j, u32 k) {
    ++count;
    hash += hash_of(u64{k} << 42 | u64{j} << 21 | i);
    if (i < j && j < k) product += u64{i + 1} * u64{j + 1} * u64{k + 1};
  }
  __device__ void finish() const {
    if (count == 0) return;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const u32 slot = (blockIdx.x * 31u + blockIdx.y * 613u + blockIdx.z * 977u + thread) & (kChecksumSlots - 1);
    atomicAdd(&sums[slot], count);
    atomicAdd(&sums[kChecksumSlots + slot], hash);
    atomicAdd(&sums[2 * kChecksumSlots + slot], product);
  }
};

struct AutomatonWork {
  static constexpr const char* kType = "AutomatonWork";
  const u8* now;
  u8* next;
  u32 n;
  u32 birth, survive;  ///< of LifeRule
  __device__ u32 alive(u32 i, u32 j) const {
    // Left of column 0 j wraps to a huge number, which is > i like everything above the diagonal.
    return i < n && j <= i ? now[u64{i} * n + j] : 0;
  }
  __device__ void operator()(u32 i, u32 j) {
    const u32 around = alive(i - 1, j - 1) + alive(i - 1, j) + alive(i - 1, j + 1) + alive(i, j - 1) + alive(i, j + 1) +
                       alive(i + 1, j - 1) + alive(i + 1, j) + alive(i + 1, j + 1);
    next[u64{i} * n + j] = ((alive(i, j) != 0 ? survive : birth) >> around) & 1u;
  }
  __device__ void finish() const {}
};

/// The triples of this thread on one tile, or on several tiles of a row, along which only i changes.
template <class Work>
__device__ __forceinline__ void do_row(const Tile3& first, u32 tiles, u32 n, Work& work) {
  const u32 rho = blockDim.x;
  const u32 j = first.y * rho + threadIdx.y, end = min(first.z * rho + rho, n);
  for (u32 k = first.z * rho + threadIdx.z; k < end; k += blockDim.z) {
    if (j > k) continue;
    u32 i = first.x * rho + threadIdx.x;
#pragma unroll 4
    for (u32 t = 0; t < tiles; ++t, i += rho) {
      if (i <= j) work(i, j, k);
    }
  }
}

/// Runs work(i, j, k) for the triples of this thread: the block is rho x rho x layers threads, rho = blockDim.x.
template <class M, class Work>
__device__ __forceinline__ void for_each_triple(const M& map, const GridPiece& piece, u32 n, Work& work) {
  if constexpr (std::is_same_v<typename M::Cursor, TetraRun>) {
    for (auto run = block_cursor(map, block_position(piece)); run.valid(); run.next_row()) {
      do_row(run.tile(), run.row_left(), n, work);
    }
  } else {
    for (auto tiles = block_cursor(map, block_position(piece)); tiles.valid(); tiles.next())
      do_row(tiles.tile(), 1, n, work);
  }
}

/// Over the elements of the triangle.
template <class M, class Work>
TRI_KERNEL void element_kernel(const M map, const GridPiece piece, u32 n, Work work) {
  for_each_element(map, piece, n, [&](u32 i, u32 j) { work(i, j); });
  work.finish();
}

/// Over those of the tetrahedron.
template <class M, class Work>
TRI_KERNEL void element3_kernel(const M map, const GridPiece piece, u32 n, Work work) {
  for_each_triple(map, piece, n, work);
  work.finish();
}

}  // namespace tri::cuda
