#pragma once
/// The text of the kernel that counts triples. The build joins it with all that it includes, as
/// pairs/typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/triples/triple_count_tile.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/tetra_base.hpp"
