#pragma once
/// Tiles of a block and cells of its threads, shared by the kernels of both storages and those compiled at run time.

#include "sim/cuda/kernels/position.cuh"
#include "sim/maps/fractal_shape.hpp"
#include "sim/maps/gasket_lambda.hpp"
#include "sim/maps/gasket_placement.hpp"

namespace tri::cuda {

/// Threads in the caller's warp: 32, or fewer in the last warp of a block.
__device__ __forceinline__ u32 lanes_of_warp() {
  const u32 left = blockDim.x - threadIdx.x / 32 * 32;
  return left < 32 ? left : 32;
}
__device__ __forceinline__ u32 mask_of(u32 lanes) { return lanes == 32 ? ~0u : (1u << lanes) - 1; }

/// The sum over the lanes of a warp, in lane 0. All lanes of the warp must call it.
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
  const u32 lane = threadIdx.x % 32, lanes = lanes_of_warp(), mask = mask_of(lanes);
#pragma unroll
  for (u32 step = 16; step != 0; step >>= 1) {
    const T other = __shfl_down_sync(mask, value, step);
    if (lane + step < lanes) value += other;
  }
  return value;
}

/// The tiles of this block. Overloaded for the map `gasket` as in the GASKET paper: each lane of a warp computes some
/// of the levels, and shuffles sum them up, in O(log log n) steps if there are as many lanes as levels.
template <class M>
__device__ __forceinline__ auto block_tiles(const M& map, const Position& at) {
  return map.begin(at);
}
__device__ __forceinline__ OneTile<CellTile> block_tiles(const GasketLambda& map, const Position& at) {
  const u32 lanes = lanes_of_warp(), mask = mask_of(lanes), levels = map.levels();
  CellTile mine;
  for (u32 u = threadIdx.x % 32 + 1; u <= levels; u += lanes) {
    const CellTile step = gasket_level(at.x, at.y, u);
    mine.x += step.x;
    mine.y += step.y;
  }
  if (levels <= 16) {  // both coordinates in one word
    const u32 both = __shfl_sync(mask, warp_sum(mine.x | mine.y << 16), 0);
    return {{both & 0xffffu, both >> 16}, true};
  }
  const u32 x = __shfl_sync(mask, warp_sum(mine.x), 0), y = __shfl_sync(mask, warp_sum(mine.y), 0);
  return {{x, y}, true};
}

__device__ __forceinline__ FractalCell as_cell(const CellTile& tile) { return {tile.x, tile.y, 0}; }
__device__ __forceinline__ FractalCell as_cell(const FractalCell& tile) { return tile; }

/// Assignment of cells to the threads of a block.
struct TileThreads {
  GasketPlacement placement;
  u32 block, inner;
  const u32* table;  ///< [k^inner] from tile_cells(), for lut
};

/// The cell of this thread within every tile; false if it has none.
template <class Shape>
__device__ __forceinline__ bool cell_of_thread(const Shape& shape, const TileThreads& threads, FractalCell& cell) {
  const u32 t = threadIdx.x, block = threads.block;
  if (threads.placement == GasketPlacement::lut) {
    cell = unpacked_cell(threads.table[t]);
    return true;
  }
  if (threads.placement == GasketPlacement::unroll) {
    cell = shape.cell(u64{t}, threads.inner);
    return true;
  }
  cell = {t % block, t / block, 0};
  if (shape.dimensions() == 3) cell = {cell.x, cell.y % block, cell.y / block};
  return shape.holds(cell, threads.inner);
}

}  // namespace tri::cuda
