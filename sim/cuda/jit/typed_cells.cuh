#pragma once
/// The text of the kernels on the cells of the gasket on typed maps: write and sum. The build joins it with all that it
/// includes, as typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/fractal/cell_work.cuh"
#include "sim/maps/integer_math.hpp"

namespace tri::cuda {

/// As cells_kernel (fractal_cells.cu).
template <class M, class Work>
__global__ void __launch_bounds__(1024) typed_cell_kernel(const __grid_constant__ M map, const GridPiece piece,
                                                          const TileThreads threads, u32 n, Work work) {
  for_each_cell(map, piece, GasketShape(), threads, n, work);
}

/// As sectors_kernel: `work` says where the cells are.
template <class M, class Work>
__global__ void __launch_bounds__(GasketSectors::kThreads)
    typed_sectors_kernel(const __grid_constant__ M map, const GridPiece piece, const TileThreads, u32 n, Work work) {
  write_sectors(map, piece, n, work.cells);
}

}  // namespace tri::cuda
