#pragma once
/// The floors of a device.

#include "sim/backend/floors.hpp"

namespace tri::cuda {

/// Of the current device; each rate is the best of several rounds, some hundred milliseconds in all. Throws
/// MemoryError.
Floors measure_floors();

}  // namespace tri::cuda
