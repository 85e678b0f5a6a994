// Elements (i, j, k) of the tetrahedron, i <= j <= k. A block takes the tile of rho x rho x rho elements that the map
// gives it, with one thread per element up to 128 threads. In larger tiles a thread takes several layers, because a
// multiprocessor holds only four blocks of 512 threads, too few to hide the latency of finding a tile. The work is so
// small that a timing measures the map and the launch of blocks.

#include <algorithm>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triple_element_kernels.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 128;

/// Folds coordinates into a register; one final store depends on all of them.
struct Hold3 {
  u32* scratch;
  u32 held = 0;
  __device__ void operator()(u32 i, u32 j, u32 k) { held += i ^ (j << 10) ^ (k << 20); }
  __device__ void finish() const {
    if (held == 0xfffffff1u) scratch[0] = held;
  }
};

/// Stores a word that depends on all coordinates, at an index that depends on all.
struct Store3 {
  u32* scratch;
  __device__ void operator()(u32 i, u32 j, u32 k) {
    scratch[(i + j * 32u + k * 1024u) & (kDummy3Slots - 1)] = i + j + k;
  }
  __device__ void finish() const {}
};

struct Write3 {
  u32* cells;
  __device__ void operator()(u32 i, u32 j, u32 k) {
    atomicAdd(&cells[tetrahedral_of_layer(k) + triangular_of_row(j) + i], 1u);
  }
  __device__ void finish() const {}
};

/// The finaliser of splitmix64 on 21 bits of each coordinate: its sum distinguishes multisets.
__device__ __forceinline__ u64 hash_of(u32 i, u32 j, u32 k) {
  u64 z = (u64{k} << 42 | u64{j} << 21 | i) + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

struct Checksum3 {
  unsigned long long* sums;
  unsigned long long count = 0, hash = 0, product = 0;
  __device__ void operator()(u32 i, u32 j, u32 k) {
    ++count;
    hash += hash_of(i, j, k);
    if (i < j && j < k) product += u64{i + 1} * u64{j + 1} * u64{k + 1};
  }
  __device__ void finish() const {
    if (count == 0) return;
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const u32 slot = (blockIdx.x * 31u + blockIdx.y * 613u + blockIdx.z * 977u + thread) & (kTripleSlots - 1);
    atomicAdd(&sums[slot], count);
    atomicAdd(&sums[kTripleSlots + slot], hash);
    atomicAdd(&sums[2 * kTripleSlots + slot], product);
  }
};

/// The elements of this thread on one tile, or on several tiles of a row, along which only i changes.
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

__global__ void plain_checksum3_kernel(u32 n, Checksum3 work) {
  for (u32 k = blockIdx.x; k < n; k += gridDim.x) {
    for (u32 j = threadIdx.x; j <= k; j += blockDim.x) {
      for (u32 i = 0; i <= j; ++i) work(i, j, k);
    }
  }
  work.finish();
}

template <class Work>
PreparedLaunch prepare(TetraMapId id, u32 n, u32 rho, const Work& work, const char* name) {
  TRI_EXPECTS(rho >= 1 && rho <= kMaxTripleBlock);
  PreparedLaunch prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, rho));
  const u32 layers = std::clamp(kThreads / (rho * rho), 1u, rho);
  // A persistent map launches twice the blocks that a multiprocessor holds at once.
  const u32 workers = multiprocessors() * 2 * (2048 / std::max(kThreads, rho * rho * layers));
  visit_device_tetra_map(id, side, Diagonal::with, workers, [&](const auto& map, auto owner) {
    const std::vector<GridPiece> pieces = grid_pieces(map, rho);
    fill_counts(prepared, map, pieces.size());
    prepared.launch = [map, owner, pieces, n, rho, layers, work, name](cudaStream_t stream, u32 k) {
      element3_kernel<<<grid_of(pieces[k]), dim3(rho, rho, layers), 0, stream>>>(map, pieces[k], n, work);
      check_launch(name);
    };
  });
  return prepared;
}

}  // namespace

PreparedLaunch prepare_dummy3(TetraMapId map, u32 n, u32 rho, BenchForm form, u32* scratch) {
  TRI_EXPECTS(form == BenchForm::hold || form == BenchForm::store);
  if (form == BenchForm::hold) return prepare(map, n, rho, Hold3{scratch}, "dummy3");
  return prepare(map, n, rho, Store3{scratch}, "dummy3 with store");
}

PreparedLaunch prepare_write3(TetraMapId map, u32 n, u32 rho, u32* cells) {
  return prepare(map, n, rho, Write3{cells}, "write of triples");
}

PreparedLaunch prepare_checksum3(TetraMapId map, u32 n, u32 rho, unsigned long long* sums) {
  return prepare(map, n, rho, Checksum3{sums}, "checksum of triples");
}

PreparedLaunch prepare_plain_checksum3(u32 n, unsigned long long* sums) {
  PreparedLaunch prepared;
  prepared.launched = prepared.useful = n < 65536 ? n : 65536;
  prepared.launches = 1;
  prepared.launch = [blocks = static_cast<u32>(prepared.launched), n, sums](cudaStream_t stream, u32) {
    plain_checksum3_kernel<<<blocks, 256, 0, stream>>>(n, Checksum3{sums});
    check_launch("plain checksum of triples");
  };
  return prepared;
}

}  // namespace tri::cuda
