#pragma once
/// Triples by their sides on the cpu backend.

#include "sim/cpu/kernels/force_sums.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cpu {

/// Points and bins have passed their checks. Throws MemoryError (predicted; needs one byte per pair of indices, n^2).
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const Walk<TetraMapId>& walk);

}  // namespace tri::cpu
