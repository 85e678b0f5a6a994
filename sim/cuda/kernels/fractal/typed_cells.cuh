#pragma once
/// The text of the kernels on the cells of the gasket: write, sum, and steps in both storages. The build joins it with
/// all that it includes, as pairs/typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/fractal/cell_work.cuh"
#include "sim/cuda/kernels/fractal/compact_work.cuh"
#include "sim/maps/integer_math.hpp"
