#pragma once
/// The text of the kernels over overlapping pairs. The build joins it with all that it includes, as
/// pairs/typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/collisions/collision_element.cuh"
#include "sim/cuda/kernels/collisions/collision_tile.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/triangle_base.hpp"
