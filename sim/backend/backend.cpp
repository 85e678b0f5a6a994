// What every backend does in the same way.

#include "sim/backend/backend.hpp"

namespace tri {

DistanceResult Backend::distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  const auto rows = distance_rows(points, layout, config);
  DistanceResult result{layout, points.n, {}, distance_count(points.n, DistanceLayout::condensed), 0};
  result.ms = rows->rows(0, points.n, result.values);
  return result;
}

}  // namespace tri
