/// Kernels on the cells of the gasket and its family, in both storages.

#include "sim/cuda/kernels/fractal.cuh"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/maps/fractal_tiles.hpp"

namespace tri::cuda {

/// The table for placement lut in device memory; null for other placements.
inline std::shared_ptr<DeviceBuffer<u32>> tile_table(const FractalLaunch& launch) {
  if (launch.placement != GasketPlacement::lut) return nullptr;
  const std::vector<u32> cells = tile_cells(launch.shape, launch.grid.inner);
  auto table = std::make_shared<DeviceBuffer<u32>>(cells.size());
  table->upload(cells, nullptr);
  return table;
}

/// On a typed map of the gasket, for kernels of the text typed_cells; bound is as for prepare_typed_kernel().
template <class... Bound>
PreparedLaunch prepare_typed_cells(const FractalLaunch& launch, const TypedKernel& kernel, const Bound&... bound) {
  TRI_EXPECTS(launch.gasket);
  return prepare_typed_kernel(launch.map, u32{1} << launch.grid.tile_levels(), kernel, {}, bound...);
}

/// Work that keeps a buffer.
template <class T>
PreparedLaunch keeping(std::shared_ptr<T> buffer, PreparedLaunch work) {
  work.launch = [buffer = std::move(buffer), launch = std::move(work.launch)](cudaStream_t stream, u32 k) {
    launch(stream, k);
  };
  return work;
}

/// Calls f(map, shape) with the concrete types of this launch. The worker counts are for the persistent gasket-stream.
template <class F>
void visit_fractal_map(const FractalLaunch& launch, u32 gasket_workers, u32 family_workers, F&& f) {
  const u32 levels = launch.grid.tile_levels();
  if (launch.gasket) {
    visit_built_in_gasket_map(launch.map, levels, gasket_workers, [&](const auto& map) { f(map, GasketShape{}); });
  } else {
    f(FractalTiles(launch.map, launch.shape, levels, family_workers), launch.shape);
  }
}

// One thread per cell, embedded storage. A block gets its tiles from the map before its threads compute their cells; a
// thread has the same cell in every tile, so a persistent block computes it once. Only the sum uses shared memory.

namespace {

template <class Work>
PreparedLaunch prepare(const FractalLaunch& launch, const Work& work, const char* name) {
  PreparedLaunch prepared;
  const u32 threads = static_cast<u32>(fractal_threads(launch)), n = launch.grid.side;
  const auto table = tile_table(launch);
  const TileThreads placement{launch.placement, launch.grid.block, launch.grid.inner, table ? table->data() : nullptr};
  if (is_typed(launch.map)) {
    return keeping(table, prepare_typed_cells(launch, {cells_map_kernel(Work::kType), threads}, GasketShape{},
                                              placement, n, work));
  }
  const auto bind = [&](const auto& map, const auto& shape) {
    prepared = prepare_on(map, grid_pieces(map, 1), [=](const auto& m, const GridPiece& piece, cudaStream_t stream) {
      cells_kernel<<<grid_of(piece), threads, 0, stream>>>(m, piece, shape, placement, n, work);
      check_launch(name);
      (void)table;  // keeps the table alive
    });
  };
  visit_fractal_map(launch, resident_workers(cells_kernel<GasketStream, GasketShape, Work>, threads),
                    resident_workers(cells_kernel<FractalTiles, FractalShape, Work>, threads), bind);
  return prepared;
}

PreparedLaunch prepare_sectors(const FractalLaunch& launch, u8* cells) {
  PreparedLaunch prepared;
  const u32 n = launch.grid.side;
  if (is_typed(launch.map)) {
    return prepare_typed_cells(launch, {sectors_map_kernel(), GasketSectors::kThreads}, n, cells);
  }
  const u32 workers = resident_workers(sectors_kernel<GasketStream>, GasketSectors::kThreads);
  visit_built_in_gasket_map(launch.map, launch.grid.tile_levels(), workers, [&](const auto& map) {
    prepared = prepare_on(map, grid_pieces(map, 1), [=](const auto& m, const GridPiece& piece, cudaStream_t stream) {
      sectors_kernel<<<grid_of(piece), GasketSectors::kThreads, 0, stream>>>(m, piece, n, cells);
      check_launch("gasket write by sectors");
    });
  });
  return prepared;
}

}  // namespace

u64 fractal_threads(const FractalLaunch& launch) {
  switch (launch.placement) {
    case GasketPlacement::subbox:
      return power_of(launch.grid.block, launch.shape.dimensions());
    case GasketPlacement::sectors:
      return GasketSectors::kThreads;
    case GasketPlacement::lut:
    case GasketPlacement::unroll:
      break;
  }
  return fractal_cells(launch.shape, launch.grid.inner);
}

PreparedLaunch prepare_fractal_write(const FractalLaunch& launch, u8* cells) {
  if (launch.placement == GasketPlacement::sectors) return prepare_sectors(launch, cells);
  return prepare(launch, CellWriteWork{cells}, "fractal write");
}

PreparedLaunch prepare_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sums) {
  return prepare(launch, CellSumWork{cells, sums}, "fractal sum");
}

PreparedLaunch prepare_fractal_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next) {
  const u32 n = launch.grid.side;
  if (launch.shape.dimensions() == 3) return prepare(launch, CellStepWork<3>{now, next, n, rule}, "fractal step");
  return prepare(launch, CellStepWork<2>{now, next, n, rule}, "fractal step");
}

// A step in compact storage: launches the kernel of fractal.cuh. Also copies between the storages, which need no
// map.

namespace {

constexpr u32 kThreads = 256;

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
  const CompactBox box{cells->data(), tile.own, count, tile.pitch, tile.slots, tile.sides(), row};
  const u32 threads = static_cast<u32>(fractal_threads(launch)), shared = tile.slots;
  const u32 levels = launch.grid.tile_levels(), inner = launch.grid.inner;
  if (is_typed(launch.map)) {
    return keeping(cells, prepare_typed_cells(launch, {compact_map_kernel(), threads, shared}, GasketShape{}, levels,
                                              inner, box, rule, now, next));
  }
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

// Spins in compact storage, in place. As in compact_kernel a block unpacks each of its tiles into a box; then it asks
// the spins of one colour, which no thread reads as a neighbour, or adds all of them up.

namespace {

struct SpinWork {
  u8* spins;
  u32 first, last;      ///< the cells of the box that have their turn
  u32 colour, colours;  ///< needed where a tile is one cell
  u64 sweep;
  unsigned long long* sums;  ///< [2]; null: a sweep
};

template <u32 kDimensions>
__device__ __forceinline__ u32 spins_around(const u8* at, u32 pitch, SpinNeighbours neighbours) {
  if (neighbours == SpinNeighbours::all) return sum_around<kDimensions>(at, pitch) - *at;
  const int row = static_cast<int>(pitch), plane = row * row;
  const u32 flat = u32{at[-1]} + at[1] + at[-row] + at[row];
  return kDimensions == 3 ? flat + at[-plane] + at[plane] : flat;
}

template <class M, class Shape>
__global__ void __launch_bounds__(1024)
    spin_kernel(const __grid_constant__ M map, const GridPiece piece, const __grid_constant__ Shape shape, u32 levels,
                u32 inner, const CompactBox box, const __grid_constant__ SpinRule rule, const SpinWork work) {
  extern __shared__ u8 slots[];
  __shared__ u32 corners[2][27];  // double buffer: of this tile and of the next one
  long long magnetisation = 0, alignment = 0;
  auto tiles = block_tiles(map, block_position(piece));
  if (!tiles.valid()) return;  // the whole block
  const u32 threads = blockDim.x, side = map.side();
  for (u32 s = threadIdx.x; s < box.slots; s += threads) slots[s] = 0;
  find_corners(shape, as_cell(tiles.tile()), side, levels, inner, box, corners[0]);
  bool more = true;
  for (u32 turn = 0; more; turn ^= 1) {
    __syncthreads();  // corners are written, and the previous tile is finished
    const u32 own = corners[turn][box.sides / 2];
    for (u32 c = threadIdx.x; c < box.count; c += threads) {
      const DeviceBoxCell cell = box.cells[c];
      const u32 from = corners[turn][cell.side];
      slots[cell.slot] = from == kNoTile ? 0 : boxed_spin(work.spins[from + cell.offset]);
    }
    tiles.next();
    more = tiles.valid();
    __syncthreads();  // the box is filled
    if (more) find_corners(shape, as_cell(tiles.tile()), side, levels, inner, box, corners[turn ^ 1]);
    if (inner == 0 && work.sums == nullptr && own % work.colours != work.colour) continue;
    for (u32 c = work.first + threadIdx.x; c < work.last; c += threads) {
      const DeviceBoxCell cell = box.cells[c];
      const u8* at = slots + cell.slot;
      const u32 around = shape.dimensions() == 3 ? spins_around<3>(at, box.pitch, rule.neighbours)
                                                 : spins_around<2>(at, box.pitch, rule.neighbours);
      const u32 up = *at > 1 ? 1 : 0, place = own + cell.offset;
      if (work.sums == nullptr) {
        work.spins[place] = rule.next(up, around, place, work.sweep);
      } else {
        magnetisation += up != 0 ? 1 : -1;
        alignment += SpinRule::alignment(up, around);
      }
    }
  }
  if (work.sums == nullptr) return;
  magnetisation = warp_sum(magnetisation), alignment = warp_sum(alignment);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(work.sums, static_cast<unsigned long long>(magnetisation));
  atomicAdd(work.sums + 1, static_cast<unsigned long long>(alignment));
}

/// The cells of the box, the tile's own sorted by colour: as many of each.
std::vector<DeviceBoxCell> box_by_colour(const CompactTile& tile, u32 colours, u32 row) {
  std::vector<BoxCell> cells = tile.cells;
  std::stable_sort(cells.begin(), cells.begin() + tile.own,
                   [&](const BoxCell& a, const BoxCell& b) { return a.x % colours < b.x % colours; });
  std::vector<DeviceBoxCell> device_cells;
  for (const BoxCell& cell : cells) device_cells.push_back({cell.slot, cell.side, cell.x + cell.y * row});
  return device_cells;
}

/// One launch for each of `works`; *sweep is read when it is enqueued, unless null.
std::vector<PreparedLaunch> prepare_spins(const FractalLaunch& launch, const SpinRule& rule,
                                          const std::vector<SpinWork>& works, const u64* sweep) {
  TRI_EXPECTS(!is_typed(launch.map));
  const CompactTile tile = compact_tile(launch.shape, launch.grid.inner);
  const u32 row = static_cast<u32>(packed_width(launch.shape.replicas(), launch.grid.levels));
  const std::vector<DeviceBoxCell> host_cells = box_by_colour(tile, launch.shape.replicas(), row);
  const auto cells = std::make_shared<DeviceBuffer<DeviceBoxCell>>(host_cells.size());
  cells->upload(host_cells, nullptr);
  const CompactBox box{cells->data(), tile.own, static_cast<u32>(host_cells.size()), tile.pitch, tile.slots,
                       tile.sides(),  row};
  const u32 threads = static_cast<u32>(fractal_threads(launch)), shared = tile.slots;
  const u32 levels = launch.grid.tile_levels(), inner = launch.grid.inner;
  std::vector<PreparedLaunch> prepared;
  const auto bind = [&](const auto& map, const auto& shape) {
    for (const SpinWork& work : works) {
      const auto start = [=](const auto& m, const GridPiece& piece, cudaStream_t stream) {
        SpinWork now = work;
        if (sweep != nullptr) now.sweep = *sweep;
        spin_kernel<<<grid_of(piece), threads, shared, stream>>>(m, piece, shape, levels, inner, box, rule, now);
        check_launch("spins");
        (void)cells;  // keeps the cells alive
      };
      prepared.push_back(prepare_on(map, grid_pieces(map, 1), start));
    }
  };
  visit_fractal_map(launch, resident_workers(spin_kernel<GasketStream, GasketShape>, threads, shared),
                    resident_workers(spin_kernel<FractalTiles, FractalShape>, threads, shared), bind);
  return prepared;
}

}  // namespace

std::vector<PreparedLaunch> prepare_spin_sweep(const FractalLaunch& launch, const SpinRule& rule, const u64* sweep,
                                               u8* spins) {
  const u32 colours = launch.shape.replicas(), own = static_cast<u32>(fractal_cells(launch.shape, launch.grid.inner));
  std::vector<SpinWork> works;
  for (u32 colour = 0; colour < colours; ++colour) {
    const u32 each = own / colours;
    const bool one = launch.grid.inner == 0;
    works.push_back({spins, one ? 0 : colour * each, one ? 1 : (colour + 1) * each, colour, colours, 0, nullptr});
  }
  return prepare_spins(launch, rule, works, sweep);
}

PreparedLaunch prepare_spin_sums(const FractalLaunch& launch, const SpinRule& rule, u8* spins,
                                 unsigned long long* sums) {
  const u32 own = static_cast<u32>(fractal_cells(launch.shape, launch.grid.inner));
  return prepare_spins(launch, rule, {{spins, 0, own, 0, 1, 0, sums}}, nullptr).front();
}

void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded, cudaStream_t stream) {
  copy_cells<true>(shape, levels, compact, embedded, stream);
}

void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact, cudaStream_t stream) {
  copy_cells<false>(shape, levels, embedded, compact, stream);
}

// Independent checks of the fractal kernels: a block takes rows of the embedding, its threads the positions of a row.
// Membership follows from the coordinates alone; no map, no tiles, no placement.

namespace {

/// Calls visit(shape, cell, offset, inside) for the positions of the thread and adds the results to *sum.
template <class Shape, class Visit>
__global__ void positions_kernel(const __grid_constant__ Shape shape, u32 levels, u32 n, u64 rows, const Visit visit,
                                 unsigned long long* sum) {
  unsigned long long mine = 0;
  for (u64 row = blockIdx.x; row < rows; row += gridDim.x) {
    for (u32 x = threadIdx.x; x < n; x += blockDim.x) {
      const FractalCell cell{x, static_cast<u32>(row % n), static_cast<u32>(row / n)};
      mine += visit(shape, cell, row * n + x, shape.holds(cell, levels));
    }
  }
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(sum, mine);
}

struct WriteVisit {
  const u8* cells;
  u8 untouched;
  bool sectors;
  u32 levels;
  template <class Shape>
  __device__ u32 operator()(const Shape& shape, const FractalCell& cell, u64 offset, bool inside) const {
    u8 expected = inside ? 1 : untouched;
    if (sectors && !inside) {
      bool touched = false;
      for (u32 x = cell.x & ~31u; x <= (cell.x | 31u); ++x) touched = touched || shape.holds({x, cell.y, 0}, levels);
      if (touched) expected = 0;
    }
    return cells[offset] != expected;
  }
};

struct SumVisit {
  const u8* cells;
  template <class Shape>
  __device__ u32 operator()(const Shape&, const FractalCell&, u64 offset, bool inside) const {
    return inside ? cells[offset] : 0;
  }
};

struct StepVisit {
  const u8* now;
  const u8* next;
  LifeRule rule;
  CellStorage storage;
  u8 untouched;
  u32 n, levels, row;

  template <class Shape>
  __device__ u64 offset_of(const Shape& shape, const FractalCell& cell) const {
    if (storage == CellStorage::embedded) return cell.x + u64{n} * (cell.y + u64{n} * cell.z);
    const PackedCell packed = shape.pack(cell, levels);
    return packed.x + u64{packed.y} * row;
  }
  template <class Shape>
  __device__ u32 operator()(const Shape& shape, const FractalCell& cell, u64 at, bool inside) const {
    if (!inside) return storage == CellStorage::embedded && next[at] != untouched;
    const u32 solid = shape.dimensions() == 3;
    u32 around = 0;
    for (u32 side = 0; side < (solid ? 27 : 9); ++side) {
      const FractalCell other{cell.x + side % 3 - 1, cell.y + side / 3 % 3 - 1, solid ? cell.z + side / 9 - 1 : 0};
      if (other == cell || other.x >= n || other.y >= n || other.z >= n || !shape.holds(other, levels)) continue;
      around += now[offset_of(shape, other)];
    }
    const u64 own = offset_of(shape, cell);
    return next[own] != (((now[own] != 0 ? rule.survive : rule.birth) >> around) & 1u);
  }
};

template <class Visit>
void visit_positions(const FractalLaunch& launch, const Visit& visit, unsigned long long* sum, cudaStream_t stream) {
  const u32 n = launch.grid.side, levels = launch.grid.levels;
  const u64 rows = launch.shape.dimensions() == 3 ? u64{n} * n : n;
  const u32 blocks = static_cast<u32>(rows < 65536 ? rows : 65536);
  if (launch.gasket) {
    positions_kernel<<<blocks, kThreads, 0, stream>>>(GasketShape{}, levels, n, rows, visit, sum);
  } else {
    positions_kernel<<<blocks, kThreads, 0, stream>>>(launch.shape, levels, n, rows, visit, sum);
  }
  check_launch("plain loop over a fractal");
}

}  // namespace

void plain_write_faults(const FractalLaunch& launch, const u8* cells, u8 untouched, bool sectors,
                        unsigned long long* faults, cudaStream_t stream) {
  visit_positions(launch, WriteVisit{cells, untouched, sectors, launch.grid.levels}, faults, stream);
}

void plain_fractal_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sum, cudaStream_t stream) {
  visit_positions(launch, SumVisit{cells}, sum, stream);
}

void plain_step_faults(const FractalLaunch& launch, CellStorage storage, const LifeRule& rule, const u8* now,
                       const u8* next, u8 untouched, unsigned long long* faults, cudaStream_t stream) {
  const u32 row = static_cast<u32>(packed_width(launch.shape.replicas(), launch.grid.levels));
  visit_positions(launch, StepVisit{now, next, rule, storage, untouched, launch.grid.side, launch.grid.levels, row},
                  faults, stream);
}

}  // namespace tri::cuda
