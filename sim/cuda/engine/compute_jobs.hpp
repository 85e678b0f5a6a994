#pragma once
/// All-pairs distances and collisions of user data on the current device.

#include "sim/model/bodies.hpp"
#include "sim/model/compute.hpp"

namespace tri::cuda {

/// Throws ConfigError (bad points, a rejected block or map) and MemoryError (predicted, device or host).
DistanceResult distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config);
CollisionResult collisions(const Bodies& bodies, const EngineConfig& config);

}  // namespace tri::cuda
