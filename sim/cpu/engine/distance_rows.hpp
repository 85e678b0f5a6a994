#pragma once
/// Distances on the host, a block of rows at a time.

#include <memory>

#include "sim/backend/backend.hpp"

namespace tri::cpu {

/// The points have passed their check. backend_threads: where config names none.
std::unique_ptr<DistanceRows> make_distance_rows(const PointSet& points, DistanceLayout layout,
                                                 const EngineConfig& config, u32 backend_threads);

}  // namespace tri::cpu
