#pragma once
/// The text of the kernels over single elements: the dummies, write, checksums and the automaton. The build joins it
/// with all that it includes, as pairs/typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/element_work.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/tetra_base.hpp"
#include "sim/maps/triangle_base.hpp"
