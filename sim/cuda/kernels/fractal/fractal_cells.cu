// One thread per cell, embedded storage. A block gets its tiles from the map before its threads compute their cells; a
// thread has the same cell in every tile, so a persistent block computes it once. Only the sum uses shared memory.

#include "sim/cuda/kernels/fractal/cell_work.cuh"
#include "sim/cuda/kernels/fractal/fractal_tiles.cuh"

namespace tri::cuda {
namespace {

/// kDimensions makes the loop over two dimensions one of nine. Positions without a cell hold 0, so no test is needed.
template <u32 kDimensions>
struct StepWork {
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

template <class M, class Shape, class Work>
__global__ void __launch_bounds__(1024)
    cells_kernel(const __grid_constant__ M map, const GridPiece piece, const __grid_constant__ Shape shape,
                 const TileThreads threads, u32 n, Work work) {
  for_each_cell(map, piece, shape, threads, n, work);
}

template <class M>
__global__ void __launch_bounds__(GasketSectors::kThreads)
    sectors_kernel(const __grid_constant__ M map, const GridPiece piece, u32 n, u8* cells) {
  write_sectors(map, piece, n, cells);
}

template <class Work>
PreparedLaunch prepare(const FractalLaunch& launch, const Work& work, const char* name) {
  PreparedLaunch prepared;
  const u32 threads = static_cast<u32>(fractal_threads(launch)), n = launch.grid.side;
  const auto table = tile_table(launch);
  const TileThreads placement{launch.placement, launch.grid.block, launch.grid.inner, table ? table->data() : nullptr};
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
  if (launch.shape.dimensions() == 3) return prepare(launch, StepWork<3>{now, next, n, rule}, "fractal step");
  return prepare(launch, StepWork<2>{now, next, n, rule}, "fractal step");
}

}  // namespace tri::cuda
