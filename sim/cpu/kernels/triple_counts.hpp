#pragma once
/// Triples by their sides on the cpu backend.

#include "sim/backend/ranks.hpp"
#include "sim/cpu/kernels/tile_loop.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cpu {

/// One by one. Points and bins have passed their checks. Throws MemoryError (predicted; needs one byte per pair of
/// indices, n^2). Ranks share the triples, and each gets all counts.
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const Walk<TetraMapId>& walk, Ranks& ranks);

/// The same as products of bits: with bit i of row (k, q) set where the side of i < k is in bin q, the triples with a
/// pair j < k in bin p and sides in q and r to a third point below j are the common bits of the rows (k, q) and (j, r).
/// Needs bins / 8 bytes per pair of indices beside that.
TripleCounts count_triples_by_products(const PointSet& points, const SideBins& bins, const Walk<TriangleMapId>& walk,
                                       Ranks& ranks);

/// Whether products are faster, by times of one thread, and fit into memory.
bool products_are_faster(u64 n, u32 bins);

}  // namespace tri::cpu
