#pragma once
/// A step in compact storage. A block unpacks each of its tiles into a box of (block + 2)^d bytes of shared memory,
/// with a halo from the neighbouring tiles (see sim/fractal/compact_tile.hpp). 9 (27) threads find the offsets of those
/// tiles in storage; then all threads load cells; then all count neighbours, while some find the neighbours of the next
/// tile.

#include "sim/cuda/kernels/fractal/cell_threads.cuh"
#include "sim/fractal/compact_tile.hpp"
#include "sim/fractal/life_rule.hpp"

namespace tri::cuda {

inline constexpr u32 kNoTile = ~0u;

/// A BoxCell for the kernel: `offset` is relative to the corner of its tile in storage.
struct DeviceBoxCell {
  std::uint16_t slot, side;
  u32 offset;
};

struct CompactBox {
  const DeviceBoxCell* cells;  ///< [count], the first `own` are those of the tile itself
  u32 own, count, pitch, slots, sides;
  u32 row;  ///< cells per row of storage
};

template <u32 kDimensions>
__device__ __forceinline__ u32 sum_around(const u8* at, u32 pitch) {
  u32 sum = 0;
  const int row = static_cast<int>(pitch), plane = row * row;
  for (int z = kDimensions == 3 ? -plane : 0; z <= (kDimensions == 3 ? plane : 0); z += plane) {
#pragma unroll
    for (int y = -1; y <= 1; ++y) {
      const u8* middle = at + z + y * row;
      sum += u32{middle[-1]} + middle[0] + middle[1];
    }
  }
  return sum;
}

/// Finds the storage offsets of the tiles around `tile`, with the last threads of the block, which count least.
template <class Shape>
__device__ __forceinline__ void find_corners(const Shape& shape, const FractalCell& tile, u32 side, u32 levels,
                                             u32 inner, const CompactBox& box, u32* corners) {
  for (u32 s = blockDim.x - 1 - threadIdx.x; s < box.sides; s += blockDim.x) {
    const FractalCell other = neighbour_tile(tile, s, shape.dimensions());
    u32 corner = kNoTile;
    if (other.x < side && other.y < side && other.z < side && shape.holds(other, levels)) {
      const PackedCell packed = shape.pack(other, levels, inner);
      corner = packed.x + packed.y * box.row;
    }
    corners[s] = corner;
  }
}

template <class M, class Shape>
TRI_KERNEL void __launch_bounds__(1024)
    compact_kernel(const __grid_constant__ M map, const GridPiece piece, const __grid_constant__ Shape shape,
                   u32 levels, u32 inner, const CompactBox box, const LifeRule rule, const u8* __restrict__ now,
                   u8* __restrict__ next) {
  extern __shared__ u8 slots[];
  __shared__ u32 corners[2][27];  // double buffer: of this tile and of the next one
  auto tiles = block_tiles(map, block_position(piece));
  if (!tiles.valid()) return;  // the whole block
  const u32 threads = blockDim.x, side = map.side();
  for (u32 s = threadIdx.x; s < box.slots; s += threads) slots[s] = 0;
  find_corners(shape, as_cell(tiles.tile()), side, levels, inner, box, corners[0]);
  for (u32 turn = 0;; turn ^= 1) {
    __syncthreads();  // corners are written, and counting of the previous tile is finished
    const u32 own = corners[turn][box.sides / 2];
    for (u32 c = threadIdx.x; c < box.count; c += threads) {
      const DeviceBoxCell cell = box.cells[c];
      const u32 from = corners[turn][cell.side];
      slots[cell.slot] = from == kNoTile ? 0 : now[from + cell.offset];
    }
    tiles.next();
    __syncthreads();  // the box is filled
    if (tiles.valid()) {
      find_corners(shape, as_cell(tiles.tile()), side, levels, inner, box, corners[turn ^ 1]);
    }
    for (u32 c = threadIdx.x; c < box.own; c += threads) {
      const DeviceBoxCell cell = box.cells[c];
      const u8* at = slots + cell.slot;
      const u32 sum = shape.dimensions() == 3 ? sum_around<3>(at, box.pitch) : sum_around<2>(at, box.pitch);
      next[own + cell.offset] = rule.next(*at, sum - *at);
    }
    if (!tiles.valid()) return;
  }
}

}  // namespace tri::cuda
