// Triples by their sides. The bin of each pair is computed once; a block then processes a tile of 32 x 32 x 32 points
// with the bins of its three faces in shared memory (3 KB), and counts in shared memory too if the sorted cells of the
// histogram fit there: up to 36 bins. Invalid pairs (i >= j, beyond n) have no bin, like pairs whose side is out of
// range, so faces, edges and corners of the tetrahedron need no further test.

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_counts.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
/// Sorted cells in shared memory: T3(36).
constexpr u32 kSharedCells = 8436;
/// Tiles after which 32-bit counts in shared memory are flushed, before 32^3 triples per tile could overflow them.
constexpr u32 kTilesAFlush = 65536;

__global__ void pair_bins_kernel(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table,
                                 u32 side) {
  const u64 cells = u64{side} * side;
  for (u64 c = u64{blockIdx.x} * kThreads + threadIdx.x; c < cells; c += u64{gridDim.x} * kThreads) {
    const u32 i = static_cast<u32>(c / side), j = static_cast<u32>(c % side);
    table[c] = i < j && j < n ? side_bin(squares, bins, squared_side(points + i, points + j, n, features)) : kNoBin;
  }
}

/// Index of bins p, q, r, in any order, in the sorted cells.
__device__ __forceinline__ u32 sorted_cell(u32 p, u32 q, u32 r) {
  const u32 low = min(p, min(q, r)), high = max(p, max(q, r)), middle = p + q + r - low - high;
  return high * (high + 1) * (high + 2) / 6 + middle * (middle + 1) / 2 + low;
}

struct Faces {
  u8 ij[32][32], ik[32][32], jk[32][32];  ///< [second][first]
};

__device__ __forceinline__ void load_face(u8 (&face)[32][32], const u8* table, u32 n, u32 first, u32 second) {
  for (u32 c = threadIdx.x; c < 1024; c += kThreads) {
    const u32 i = first + c / 32, j = second + c % 32;
    face[c % 32][c / 32] = i < n && j < n ? table[u64{i} * n + j] : kNoBin;
  }
}

/// Ends with a barrier: shared counts are then in memory, and zero.
__device__ __forceinline__ void flush(u32* shared, u32 bins, unsigned long long* counts) {
  __syncthreads();
  for (u32 c = threadIdx.x; c < bins * bins * bins; c += kThreads) {
    const u32 p = c / (bins * bins), q = c / bins % bins, r = c % bins;
    if (p > q || q > r) continue;
    u32& mine = shared[sorted_cell(p, q, r)];
    if (mine != 0) atomicAdd(counts + c, static_cast<unsigned long long>(mine));
    mine = 0;
  }
  __syncthreads();
}

template <bool kShared>
__global__ void __launch_bounds__(kThreads)
    triple_counts_kernel(const __grid_constant__ AnyTetraMap map, const GridPiece launch, u32 n, u32 bins,
                         const u8* table, unsigned long long* counts) {
  __shared__ Faces faces;
  __shared__ u32 shared[kShared ? kSharedCells : 1];
  if constexpr (kShared) {
    for (u32 c = threadIdx.x; c < kSharedCells; c += kThreads) shared[c] = 0;
  }
  const u32 i = threadIdx.x % 32;
  u32 tiles_done = 0;
  Position position;
  if (!block_share(launch, position)) return;
  for (auto tiles = map.begin(position); tiles.valid(); tiles.next()) {
    const Tile3 at = tiles.tile();
    __syncthreads();
    load_face(faces.ij, table, n, at.x * kCountTile, at.y * kCountTile);
    load_face(faces.ik, table, n, at.x * kCountTile, at.z * kCountTile);
    load_face(faces.jk, table, n, at.y * kCountTile, at.z * kCountTile);
    __syncthreads();
    for (u32 j = threadIdx.x / 32; j < 32; j += kThreads / 32) {
      const u32 p = faces.ij[j][i];
      for (u32 k = 0; k < 32; ++k) {
        const u32 q = faces.ik[k][i], r = faces.jk[k][j];
        // Bins are below 64: the highest bit marks a missing one.
        if (((p | q | r) & 0x80) != 0) continue;
        if constexpr (kShared) {
          atomicAdd(shared + sorted_cell(p, q, r), 1u);
        } else {
          const u32 low = min(p, min(q, r)), high = max(p, max(q, r)), middle = p + q + r - low - high;
          atomicAdd(counts + (low * bins + middle) * bins + high, 1ull);
        }
      }
    }
    if constexpr (kShared) {
      if (++tiles_done % kTilesAFlush == 0) flush(shared, bins, counts);
    }
  }
  if constexpr (kShared) flush(shared, bins, counts);
}

}  // namespace

void enqueue_pair_bins(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table, u32 side,
                       cudaStream_t stream) {
  const u64 blocks = (u64{side} * side + kThreads - 1) / kThreads;
  pair_bins_kernel<<<static_cast<u32>(blocks < 65536 ? blocks : 65536), kThreads, 0, stream>>>(
      points, n, features, squares, bins, table, side);
  check_launch("bins of pairs");
}

PreparedLaunch prepare_triple_counts(TetraMapId id, u32 n, u32 bins, const u8* table, unsigned long long* counts,
                                     const GridCut& cut) {
  const auto kernel = tetrahedral(bins) <= kSharedCells ? triple_counts_kernel<true> : triple_counts_kernel<false>;
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    kernel<<<grid_of(piece), kThreads, 0, stream>>>(AnyTetraMap(map), piece, n, bins, table, counts);
    check_launch("triples by their sides");
  };
  return prepare_on_map(id, n, kCountTile, cut.workers(resident_workers()), launch, cut);
}

}  // namespace tri::cuda
