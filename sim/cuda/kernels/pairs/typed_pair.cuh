#pragma once
/// The text of the kernels of typed pair laws, and of all pair laws on typed maps: their tiles and their energy. The
/// build joins it with all that it includes (cmake/join_sources.cmake); typed_functor.hpp adds the law, map_text.hpp
/// the map.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/pairs/pair_energy.cuh"
#include "sim/cuda/kernels/pairs/pair_tile.cuh"
#include "sim/laws/gravity.hpp"
#include "sim/laws/lennard_jones.hpp"
#include "sim/maps/any_map.hpp"
#include "sim/maps/integer_math.hpp"
