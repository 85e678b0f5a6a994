#pragma once
/// How many threads the process may use.

#include "sim/base/platform.hpp"

namespace tri {

/// Larger thread counts are rejected as typing errors.
inline constexpr u32 kMaxThreads = 1024;

/// Threads worth starting: OMP_NUM_THREADS (its first number) where it is set, otherwise the cores of the affinity
/// mask. At least 1. Throws ConfigError when OMP_NUM_THREADS is no number from 1 to kMaxThreads.
u32 usable_threads();

}  // namespace tri
