#pragma once
/// All-pairs distances, collisions and counts of triples by their three sides of user data on the current device.

#include <memory>

#include "sim/backend/backend.hpp"
#include "sim/cuda/ranks/device_ranks.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cuda {

/// Distances on `device`, which is current: a block of rows at a time is computed there and copied to the host. The
/// points have passed their check.
std::unique_ptr<DistanceRows> make_distance_rows(const PointSet& points, DistanceLayout layout,
                                                 const EngineConfig& config, int device);

/// Throws ConfigError (a rejected block or map) and MemoryError (predicted, device or host). With `ranks`, every rank
/// makes the same call and finds a share through the grid, without it the first one all; each gets all contacts.
CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box,
                           DeviceRanks* ranks = nullptr);

/// By products of bits where config.arithmetic is tensor, or automatic and that is faster, along config.pair_map in
/// tiles of kBitBlock (kernels/triples/triple_count_products.hpp); else one by one, along config.triple_map in tiles of
/// kCountTile. config.triple_block is 0 or that tile. Points and bins have passed their checks. Throws ConfigError,
/// MemoryError (one byte per pair of indices, n^2, and half of that for products), CudaError. With `ranks`, every rank
/// makes the same call and counts a share; each gets all counts.
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const EngineConfig& config,
                           DeviceRanks* ranks = nullptr);

}  // namespace tri::cuda
