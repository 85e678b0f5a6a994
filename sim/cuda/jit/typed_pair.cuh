#pragma once
/// The text of the kernels of typed pair laws: their tiles and their energy, for all maps. The build joins it with all
/// that it includes (cmake/join_sources.cmake), and typed_functor.hpp adds the law.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/pairs/pair_energy.cuh"
#include "sim/cuda/kernels/pairs/pair_tile.cuh"
#include "sim/maps/any_map.hpp"
