#pragma once
/// The work of the kernels on embedded cells, shared with those compiled at run time.

#include "sim/cuda/kernels/fractal/cell_threads.cuh"
#include "sim/cuda/kernels/fractal/sum_slots.hpp"
#include "sim/fractal/life_rule.hpp"

namespace tri::cuda {

/// Writes 1 into each cell.
struct CellWriteWork {
  static constexpr const char* kType = "CellWriteWork";
  u8* cells;
  __device__ void operator()(u64 at, const FractalCell&) { cells[at] = 1; }
  __device__ void finish() const {}
};

/// Adds up the cells.
struct CellSumWork {
  static constexpr const char* kType = "CellSumWork";
  const u8* cells;
  unsigned long long* sums;
  u32 mine = 0;  // at most 255 per tile: overflows after 16 million tiles of one thread
  __device__ void operator()(u64 at, const FractalCell&) { mine += cells[at]; }
  /// Called by all threads of the block, also those without a cell.
  __device__ void finish() {
    __shared__ unsigned long long of_warp[32];
    const unsigned long long sum = warp_sum<unsigned long long>(mine);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    unsigned long long total = 0;
    for (u32 w = 0; w * 32 < blockDim.x; ++w) total += of_warp[w];
    atomicAdd(&sums[(blockIdx.x + blockIdx.y * 613u) & (kSumSlots - 1)], total);
  }
};

/// kDimensions makes the loop over two dimensions one of nine. Positions without a cell hold 0, so no test is needed.
template <u32 kDimensions>
struct CellStepWork {
  static constexpr const char* kType = kDimensions == 3 ? "CellStepWork<3>" : "CellStepWork<2>";
  const u8* now;
  u8* next;
  u32 n;
  LifeRule rule;

  __device__ void operator()(u64 at, const FractalCell& cell) {
    u32 around = 0;
    const u64 plane = u64{n} * n;
    for (u32 dz = kDimensions == 3 ? 0 : 1; dz < (kDimensions == 3 ? 3 : 2); ++dz) {
      if (cell.z + dz - 1 >= n) continue;  // wraps below 0
#pragma unroll
      for (u32 dy = 0; dy < 3; ++dy) {
        if (cell.y + dy - 1 >= n) continue;
        const u8* row = now + (at + (dz - 1ull) * plane + (dy - 1ull) * n);
        if (cell.x > 0) around += row[-1];
        around += row[0];
        if (cell.x + 1 < n) around += row[1];
      }
    }
    const u32 on = now[at];
    next[at] = rule.next(on, around - on);
  }
  __device__ void finish() const {}
};

/// Work has operator()(offset in the embedded array, cell), called for each cell of the thread, and finish().
template <class M, class Shape, class Work>
__device__ __forceinline__ void for_each_cell(const M& map, const GridPiece& piece, const Shape& shape,
                                              const TileThreads& threads, u32 n, Work& work) {
  auto tiles = block_tiles(map, block_position(piece));
  if (!tiles.valid()) return;  // the whole block
  FractalCell mine;
  const bool has_cell = cell_of_thread(shape, threads, mine);
  const bool solid = shape.dimensions() == 3;
  const u64 own = mine.x + u64{n} * (mine.y + (solid ? u64{n} * mine.z : 0));
  for (; tiles.valid(); tiles.next()) {
    const FractalCell tile = as_cell(tiles.tile());
    const u64 corner = threads.block * (tile.x + u64{n} * (tile.y + (solid ? u64{n} * tile.z : 0)));
    if (has_cell) {
      work(corner + own, FractalCell{tile.x * threads.block + mine.x, tile.y * threads.block + mine.y,
                                     tile.z * threads.block + mine.z});
    }
  }
  work.finish();
}

/// Placement sectors: two threads per row of 32 bytes, each writing 16 bytes with one store.
template <class M>
__device__ __forceinline__ void write_sectors(const M& map, const GridPiece& piece, u32 n, u8* cells) {
  auto tiles = block_tiles(map, block_position(piece));
  if (!tiles.valid()) return;
  const u32 t = threadIdx.x;
  const CellTile mine = GasketSectors::corner(t);
  const uint4 bytes = {GasketSectors::bytes(t, 0), GasketSectors::bytes(t, 1), GasketSectors::bytes(t, 2),
                       GasketSectors::bytes(t, 3)};
  u8* const own = cells + (mine.x + u64{n} * mine.y);
  for (; tiles.valid(); tiles.next()) {
    const CellTile tile = tiles.tile();
    *reinterpret_cast<uint4*>(own + GasketSectors::kSide * (tile.x + u64{n} * tile.y)) = bytes;
  }
}

template <class M, class Shape, class Work>
TRI_KERNEL void __launch_bounds__(1024)
    cells_kernel(const __grid_constant__ M map, const GridPiece piece, const __grid_constant__ Shape shape,
                 const TileThreads threads, u32 n, Work work) {
  for_each_cell(map, piece, shape, threads, n, work);
}

template <class M>
TRI_KERNEL void __launch_bounds__(GasketSectors::kThreads)
    sectors_kernel(const __grid_constant__ M map, const GridPiece piece, u32 n, u8* cells) {
  write_sectors(map, piece, n, cells);
}

}  // namespace tri::cuda
