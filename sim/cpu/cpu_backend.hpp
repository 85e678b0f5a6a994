#pragma once
/// The backend that is always there: every map's launch grid walked by host threads, inner loops in SIMD.

#include <memory>

#include "sim/backend/backend.hpp"
#include "sim/backend/ranks.hpp"

namespace tri {

/// threads = 0 takes as many as the process may use. An EngineConfig or BenchSpec with threads > 0 has the last word.
/// Engines share their sums with those of the other ranks, if there are any: `ranks` must outlive them. Throws
/// ConfigError when threads is beyond 1024.
std::unique_ptr<Backend> make_cpu_backend(u32 threads = 0, Communicator* ranks = nullptr);

}  // namespace tri
