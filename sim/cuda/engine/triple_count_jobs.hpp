#pragma once
/// Counts of triples by their three sides, on the current device.

#include "sim/model/engine_config.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cuda {

/// Uses config.triple_map; config.triple_block is 0 or the tile of the kernel (kernels/triples/triple_counts.hpp).
/// Points and bins have passed their checks. Throws ConfigError, MemoryError (one byte per pair of indices, n^2),
/// CudaError.
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const EngineConfig& config);

}  // namespace tri::cuda
