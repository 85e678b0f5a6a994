#pragma once
/// What the host prepares for the kernels of both storages.

#include <utility>
#include <vector>

#include "sim/cuda/kernels/fractal/cell_threads.cuh"
#include "sim/cuda/kernels/fractal/fractal_cells.hpp"
#include "sim/cuda/kernels/typed_map.cuh"
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

/// On a typed map of the gasket, for kernels of typed_cells.cuh; bound is as for prepare_typed_kernel().
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

}  // namespace tri::cuda
