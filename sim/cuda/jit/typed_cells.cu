// Launches the kernels of typed_cells.cuh.

#include <string>

#include "sim/base/contracts.hpp"
#include "sim/cuda/jit/arguments.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/jit/typed_cells.hpp"
#include "sim/cuda/jit/typed_functor.hpp"
#include "sim/cuda/jit/typed_grids.hpp"
#include "sim/cuda/kernels/fractal/cell_work.cuh"
#include "sim/cuda/kernels/fractal/fractal_tiles.cuh"
#include "sim/cuda/runtime/early_launch.hpp"

namespace tri::cuda {
namespace {

template <class Work>
PreparedLaunch prepare(const FractalLaunch& launch, const char* kernel_name, const Work& work) {
  TRI_EXPECTS(launch.gasket && info(launch.map).typed != nullptr);
  const MapText text = map_text(launch.map);
  const RuntimeKernel kernel =
      runtime_kernel({typed_cells_text(), text.definition + cell_instance(kernel_name, Work::kType, text.type)});
  const u32 threads = static_cast<u32>(fractal_threads(launch)), n = launch.grid.side;
  const auto table = tile_table(launch);
  const TileThreads placement{launch.placement, launch.grid.block, launch.grid.inner, table ? table->data() : nullptr};
  const TypedGasket map(launch.grid.tile_levels(), *info(launch.map).typed);
  const auto start = [=, value = map_value(info(launch.map), map.side())](const auto&, const GridPiece& piece,
                                                                          cudaStream_t stream) {
    void* arguments[] = {argument(*value.data()), argument(piece), argument(placement), argument(n), argument(work)};
    launch_early(kernel.handle, false, grid_of(piece), threads, stream, arguments);
    (void)table;  // keeps the table alive
  };
  return prepare_on(map, grid_pieces(map, 1), start);
}

}  // namespace

PreparedLaunch prepare_typed_cell_write(const FractalLaunch& launch, u8* cells) {
  const bool sectors = launch.placement == GasketPlacement::sectors;
  return prepare(launch, sectors ? "typed_sectors_kernel" : "typed_cell_kernel", CellWriteWork{cells});
}

PreparedLaunch prepare_typed_cell_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sums) {
  return prepare(launch, "typed_cell_kernel", CellSumWork{cells, sums});
}

}  // namespace tri::cuda
