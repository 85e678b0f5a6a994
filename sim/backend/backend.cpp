// What every backend does in the same way.

#include "sim/backend/backend.hpp"

#include <algorithm>

#include "sim/base/contracts.hpp"

namespace tri {

double DistanceRows::rows_into(u32 first, u32 last, const DistanceSpan& to) {
  DistanceValues values;
  const double ms = rows(first, last, values);
  std::visit(
      [&]<class Real>(std::span<Real> into) {
        const auto& from = std::get<std::vector<Real>>(values);
        TRI_EXPECTS(from.size() == into.size());
        std::copy(from.begin(), from.end(), into.begin());
      },
      to);
  return ms;
}

DistanceResult Backend::distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  const auto rows = distance_rows(points, layout, config);
  DistanceResult result{layout, points.n, {}, distance_count(points.n, DistanceLayout::condensed), 0};
  result.ms = rows->rows(0, points.n, result.values);
  return result;
}

}  // namespace tri
