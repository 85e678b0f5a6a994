#pragma once
/// Triples of a user's points by their three sides, on the current device.

#include "sim/model/engine_config.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cuda {

/// config.triple_map; config.triple_block 0 or the tile of the kernel (kernels/triple_counts.hpp). Points and bins
/// have passed their checks. Throws ConfigError, MemoryError (a byte a pair of indices, n^2), CudaError.
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const EngineConfig& config);

}  // namespace tri::cuda
