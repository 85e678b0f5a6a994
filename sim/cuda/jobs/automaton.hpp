#pragma once
/// Automata on the current device.

#include <memory>

#include "sim/cuda/kernels/fractal/fractal_cells.hpp"
#include "sim/fractal/automaton.hpp"

namespace tri::cuda {

/// The kernel parameters for this fractal, grid and work. Throws ConfigError when a block would have more than 1024
/// threads, for placement sectors on anything but the gasket in blocks of 32, and as check_map().
FractalLaunch fractal_launch(const Fractal& fractal, const FractalGrid& grid, GasketMapId map,
                             GasketPlacement placement);

/// The default block side: the largest up to 32 with at most 1024 threads in the requested placement.
u32 default_fractal_block(const FractalShape& shape, u64 n, GasketPlacement placement);

/// Throws ConfigError and MemoryError.
std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, int device);

}  // namespace tri::cuda
