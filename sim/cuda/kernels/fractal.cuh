#pragma once
/// Work on the cells of a fractal, in both storages.
///
/// Tiles of a block and cells of its threads, shared by the kernels of both storages and those compiled at run time.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/fractal/cells.hpp"
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

// The work of the kernels on embedded cells, shared with those compiled at run time.

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

// A step in compact storage. A block unpacks each of its tiles into a box of (block + 2)^d bytes of shared memory,
// with a halo from the neighbouring tiles (see sim/fractal/cells.hpp). 9 (27) threads find the offsets of those
// tiles in storage; then all threads load cells; then all count neighbours, while some find the neighbours of the next
// tile.

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
