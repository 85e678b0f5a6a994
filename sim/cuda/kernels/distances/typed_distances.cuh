#pragma once
/// The text of the kernels of all-pairs distances. The build joins it with all that it includes, as
/// pairs/typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/distances/distance_element.cuh"
#include "sim/cuda/kernels/distances/distance_tile.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/triangle_base.hpp"
