// A step in compact storage. A block unpacks each of its tiles into a box of (block + 2)^d bytes of shared memory, with
// a halo from the neighbouring tiles (see sim/fractal/compact_tile.hpp). 9 (27) threads find the offsets of those tiles
// in storage; then all threads load cells; then all count neighbours, while some find the neighbours of the next tile.
// Also copies between the storages, which need no map.

#include "sim/cuda/kernels/fractal/fractal_tiles.cuh"
#include "sim/fractal/compact_tile.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kNoTile = ~0u;
constexpr u32 kThreads = 256;

/// A BoxCell for the kernel: `offset` is relative to the corner of its tile in storage.
struct DeviceBoxCell {
  std::uint16_t slot, side;
  u32 offset;
};

struct Box {
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
                                             u32 inner, const Box& box, u32* corners) {
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
__global__ void __launch_bounds__(1024)
    compact_kernel(const __grid_constant__ M map, const GridPiece piece, const __grid_constant__ Shape shape,
                   u32 levels, u32 inner, const Box box, const LifeRule rule, const u8* __restrict__ now,
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

__device__ __forceinline__ u64 embedded_offset(const FractalShape& shape, const FractalCell& cell, u32 n) {
  return cell.x + u64{n} * (cell.y + (shape.dimensions() == 3 ? u64{n} * cell.z : 0));
}

template <bool kSpread>
__global__ void copy_kernel(const __grid_constant__ FractalShape shape, u32 levels, u32 n, u32 width, u64 cells,
                            const u8* from, u8* to) {
  for (u64 c = u64{blockIdx.x} * blockDim.x + threadIdx.x; c < cells; c += u64{gridDim.x} * blockDim.x) {
    const PackedCell packed{static_cast<u32>(c % width), static_cast<u32>(c / width)};
    const u64 offset = embedded_offset(shape, shape.cell(packed, levels), n);
    if constexpr (kSpread) {
      to[offset] = from[c];
    } else {
      to[c] = from[offset];
    }
  }
}

template <bool kSpread>
void copy_cells(const FractalShape& shape, u32 levels, const u8* from, u8* to, cudaStream_t stream) {
  const u64 cells = fractal_cells(shape, levels);
  const u32 blocks = static_cast<u32>(std::min<u64>((cells + kThreads - 1) / kThreads, u64{multiprocessors()} * 16));
  const u32 n = static_cast<u32>(power_of(shape.scale(), levels));
  const u32 width = static_cast<u32>(packed_width(shape.replicas(), levels));
  copy_kernel<kSpread><<<blocks, kThreads, 0, stream>>>(shape, levels, n, width, cells, from, to);
  check_launch("copy between storages");
}

}  // namespace

PreparedLaunch prepare_compact_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next) {
  const CompactTile tile = compact_tile(launch.shape, launch.grid.inner);
  const u32 row = static_cast<u32>(packed_width(launch.shape.replicas(), launch.grid.levels));
  std::vector<DeviceBoxCell> host_cells;
  for (const BoxCell& cell : tile.cells) host_cells.push_back({cell.slot, cell.side, cell.x + cell.y * row});
  const auto cells = std::make_shared<DeviceBuffer<DeviceBoxCell>>(host_cells.size());
  cells->upload(host_cells, nullptr);
  const u32 count = static_cast<u32>(host_cells.size());
  const Box box{cells->data(), tile.own, count, tile.pitch, tile.slots, tile.sides(), row};
  const u32 threads = static_cast<u32>(fractal_threads(launch)), shared = tile.slots;
  const u32 levels = launch.grid.tile_levels(), inner = launch.grid.inner;
  PreparedLaunch prepared;
  const auto bind = [&](const auto& map, const auto& shape) {
    prepared = prepare_on(map, grid_pieces(map, 1), [=](const auto& m, const GridPiece& piece, cudaStream_t stream) {
      compact_kernel<<<grid_of(piece), threads, shared, stream>>>(m, piece, shape, levels, inner, box, rule, now, next);
      check_launch("compact step");
      (void)cells;  // keeps the cells alive
    });
  };
  visit_fractal_map(launch, resident_workers(compact_kernel<GasketStream, GasketShape>, threads, shared),
                    resident_workers(compact_kernel<FractalTiles, FractalShape>, threads, shared), bind);
  return prepared;
}

void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded, cudaStream_t stream) {
  copy_cells<true>(shape, levels, compact, embedded, stream);
}

void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact, cudaStream_t stream) {
  copy_cells<false>(shape, levels, embedded, compact, stream);
}

}  // namespace tri::cuda
