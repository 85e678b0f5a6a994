#pragma once
/// The text of the kernel that lists pairs of tiles. The build joins it with all that it includes, as
/// pairs/typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/tensor/tile_pairs.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/triangle_base.hpp"
