#pragma once
/// Triples by their sides. The bin of each pair is computed once; a block then processes a tile of 32 x 32 x 32 points
/// with the bins of its three faces in shared memory (3 KB), and counts in shared memory too if the sorted cells of the
/// histogram fit there: up to 36 bins. Invalid pairs (i >= j, beyond n) have no bin, like pairs whose side is out of
/// range, so faces, edges and corners of the tetrahedron need no further test.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/laws/law_basics.hpp"

namespace tri::cuda {

inline constexpr u32 kCountThreads = 256;
/// Sorted cells in shared memory: T3(36).
inline constexpr u32 kSharedCells = 8436;
/// Tiles after which 32-bit counts in shared memory are flushed, before 32^3 triples per tile could overflow them.
inline constexpr u32 kTilesAFlush = 65536;

/// Index of bins p, q, r, in any order, in the sorted cells.
__device__ __forceinline__ u32 sorted_cell(u32 p, u32 q, u32 r) {
  const u32 low = min(p, min(q, r)), high = max(p, max(q, r)), middle = p + q + r - low - high;
  return high * (high + 1) * (high + 2) / 6 + middle * (middle + 1) / 2 + low;
}

struct Faces {
  u8 ij[32][32], ik[32][32], jk[32][32];  ///< [second][first]
};

__device__ __forceinline__ void load_face(u8 (&face)[32][32], const u8* table, u32 n, u32 first, u32 second) {
  for (u32 c = threadIdx.x; c < 1024; c += kCountThreads) {
    const u32 i = first + c / 32, j = second + c % 32;
    face[c % 32][c / 32] = i < n && j < n ? table[u64{i} * n + j] : kNoBin;
  }
}

/// Ends with a barrier: shared counts are then in memory, and zero.
__device__ __forceinline__ void flush(u32* shared, u32 bins, unsigned long long* counts) {
  __syncthreads();
  for (u32 c = threadIdx.x; c < bins * bins * bins; c += kCountThreads) {
    const u32 p = c / (bins * bins), q = c / bins % bins, r = c % bins;
    if (p > q || q > r) continue;
    u32& mine = shared[sorted_cell(p, q, r)];
    if (mine != 0) atomicAdd(counts + c, static_cast<unsigned long long>(mine));
    mine = 0;
  }
  __syncthreads();
}

/// M: AnyTetraMap, or a typed map.
template <bool kShared, class M>
TRI_KERNEL void __launch_bounds__(kCountThreads)
    triple_counts_kernel(const __grid_constant__ M map, const GridPiece launch, u32 n, u32 bins, const u8* table,
                         unsigned long long* counts) {
  __shared__ Faces faces;
  __shared__ u32 shared[kShared ? kSharedCells : 1];
  if constexpr (kShared) {
    for (u32 c = threadIdx.x; c < kSharedCells; c += kCountThreads) shared[c] = 0;
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
    for (u32 j = threadIdx.x / 32; j < 32; j += kCountThreads / 32) {
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

}  // namespace tri::cuda
