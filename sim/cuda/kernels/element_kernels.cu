// Pairs: one thread per element (i, j) of the triangle. In block space a block of rho x rho threads takes the tile that
// the map gives it; in thread space (rb, utm) each thread calls the map.
//
// Triples: a block takes the tile of rho x rho x rho elements that the map gives it, with one thread per element up to
// 128 threads. In larger tiles a thread takes several layers, because a multiprocessor holds only four blocks of 512
// threads, too few to hide the latency of finding a tile.
//
// The work is so small that a timing measures the map and the launch of blocks.

#include <algorithm>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/element_work.cuh"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kTripleThreads = 128;

struct WriteWork {
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

template <class M, class Work>
__global__ void element3_kernel(const M map, const GridPiece piece, u32 n, Work work) {
  if constexpr (std::is_same_v<typename M::Cursor, TetraRun>) {
    for (auto run = block_cursor(map, block_position(piece)); run.valid(); run.next_row()) {
      do_row(run.tile(), run.row_left(), n, work);
    }
  } else {
    for (auto tiles = block_cursor(map, block_position(piece)); tiles.valid(); tiles.next())
      do_row(tiles.tile(), 1, n, work);
  }
  work.finish();
}

__global__ void plain_checksum_kernel(u32 n, ChecksumWork<TriangleMapId> work) {
  for (u32 i = blockIdx.x; i < n; i += gridDim.x) {
    for (u32 j = threadIdx.x; j <= i; j += blockDim.x) work(i, j);
  }
  work.finish();
}

__global__ void plain_checksum_kernel(u32 n, ChecksumWork<TetraMapId> work) {
  for (u32 k = blockIdx.x; k < n; k += gridDim.x) {
    for (u32 j = threadIdx.x; j <= k; j += blockDim.x) {
      for (u32 i = 0; i <= j; ++i) work(i, j, k);
    }
  }
  work.finish();
}

template <class Work>
PreparedLaunch prepare(TriangleMapId id, u32 n, u32 rho, const Work& work, const char* name) {
  return prepare_on_map(id, n, rho, resident_workers(),
                        [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
                          element_kernel<<<grid_of(piece), dim3(rho, rho), 0, stream>>>(map, piece, n, work);
                          check_launch(name);
                        });
}

template <class Work>
PreparedLaunch prepare(TetraMapId id, u32 n, u32 rho, const Work& work, const char* name) {
  TRI_EXPECTS(rho >= 1 && rho <= kMaxTripleBlock);
  const u32 layers = std::clamp(kTripleThreads / (rho * rho), 1u, rho);
  // A persistent map launches twice the blocks that a multiprocessor holds at once.
  const u32 workers = multiprocessors() * 2 * (2048 / std::max(kTripleThreads, rho * rho * layers));
  return prepare_on_map(id, n, rho, workers, [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    element3_kernel<<<grid_of(piece), dim3(rho, rho, layers), 0, stream>>>(map, piece, n, work);
    check_launch(name);
  });
}

}  // namespace

template <class MapId>
PreparedLaunch prepare_dummy(MapId map, u32 n, u32 rho, BenchForm form, u32* scratch) {
  TRI_EXPECTS(form == BenchForm::hold || form == BenchForm::store);
  if (form == BenchForm::hold) return prepare(map, n, rho, HoldWork{scratch}, "dummy");
  return prepare(map, n, rho, StoreWork{scratch}, "dummy with store");
}

template <class MapId>
PreparedLaunch prepare_write(MapId map, u32 n, u32 rho, u32* cells) {
  return prepare(map, n, rho, WriteWork{cells}, "write");
}

template <class MapId>
PreparedLaunch prepare_checksum(MapId map, u32 n, u32 rho, unsigned long long* sums) {
  return prepare(map, n, rho, ChecksumWork<MapId>{sums}, "checksum");
}

template <class MapId>
PreparedLaunch prepare_plain_checksum(u32 n, unsigned long long* sums) {
  const u32 blocks = std::min(n, 65536u);
  const auto launch = [=](cudaStream_t stream, u32) {
    plain_checksum_kernel<<<blocks, 256, 0, stream>>>(n, ChecksumWork<MapId>{sums});
    check_launch("plain checksum");
  };
  return {launch, blocks, blocks, 1};
}

PreparedLaunch prepare_automaton(TriangleMapId map, u32 n, u32 rho, const u8* now, u8* next) {
  return prepare(map, n, rho, AutomatonWork{now, next, n}, "automaton");
}

template PreparedLaunch prepare_dummy(TriangleMapId, u32, u32, BenchForm, u32*);
template PreparedLaunch prepare_dummy(TetraMapId, u32, u32, BenchForm, u32*);
template PreparedLaunch prepare_write(TriangleMapId, u32, u32, u32*);
template PreparedLaunch prepare_write(TetraMapId, u32, u32, u32*);
template PreparedLaunch prepare_checksum(TriangleMapId, u32, u32, unsigned long long*);
template PreparedLaunch prepare_checksum(TetraMapId, u32, u32, unsigned long long*);
template PreparedLaunch prepare_plain_checksum<TriangleMapId>(u32, unsigned long long*);
template PreparedLaunch prepare_plain_checksum<TetraMapId>(u32, unsigned long long*);

}  // namespace tri::cuda
