#pragma once
/// Kernels on the cells of the gasket on typed maps: as fractal_cells.hpp for the built-in ones. May compile
/// (runtime_kernel.hpp), and throws as that does.

#include "sim/cuda/kernels/fractal/fractal_cells.hpp"

namespace tri::cuda {

/// launch: of the gasket.
PreparedLaunch prepare_typed_cell_write(const FractalLaunch& launch, u8* cells);
PreparedLaunch prepare_typed_cell_sum(const FractalLaunch& launch, const u8* cells, unsigned long long* sums);

}  // namespace tri::cuda
