// One thread per cell, embedded storage. A block gets its tiles from the map before its threads compute their cells; a
// thread has the same cell in every tile, so a persistent block computes it once. Only the sum uses shared memory.

#include "sim/cuda/kernels/fractal/cell_work.cuh"
#include "sim/cuda/kernels/fractal/fractal_tiles.cuh"

namespace tri::cuda {
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

}  // namespace tri::cuda
