#pragma once
/// The floors of this machine's processor.

#include "sim/backend/floors.hpp"

namespace tri::cpu {

/// With so many threads; each rate is the best of several rounds, a second in all. Throws MemoryError.
Floors measure_floors(u32 threads);

}  // namespace tri::cpu
