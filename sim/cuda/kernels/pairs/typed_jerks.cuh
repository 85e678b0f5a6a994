#pragma once
/// The text of the kernel of gravity with its jerks. The build joins it with all that it includes, as typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/pairs/jerk_tile.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/triangle_base.hpp"
