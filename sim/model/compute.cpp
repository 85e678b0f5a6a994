/// Jobs on user data: sizes of outputs, counts of triples.

#include "sim/model/compute.hpp"

#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/triangle_blocks.hpp"

namespace tri {

u64 distance_row_begin(u64 n, DistanceLayout layout, u64 row) {
  switch (layout) {
    case DistanceLayout::condensed:
      return row == 0 ? 0 : row * (2 * n - row - 1) / 2;
    case DistanceLayout::square:
      return row * n;
    case DistanceLayout::lower:
      return triangular(row);
    case DistanceLayout::blocks:
      break;
  }
  TRI_EXPECTS(row == n || row % kDistanceBlock == 0);
  return blocks_count(static_cast<u32>(row), kDistanceBlock);
}

u64 distance_count(u64 n, DistanceLayout layout) { return distance_row_begin(n, layout, n); }

// Binning of lengths, shared by all backends.

void check(const SideBins& bins) {
  const std::vector<double>& edges = bins.edges;
  if (edges.size() < 2 || edges.size() > SideBins::kMax + 1) {
    throw ConfigError(fmt::format("--bins takes 2 to {} edges, for 1 to {} bins; got {}.", SideBins::kMax + 1,
                                  SideBins::kMax, edges.size()));
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!std::isfinite(edges[e]) || edges[e] < 0) {
      throw ConfigError(fmt::format("--bins: edge {} is {}; an edge is a length, 0 or more.", e, edges[e]));
    }
    if (e > 0 && !(edges[e] > edges[e - 1])) {
      throw ConfigError(
          fmt::format("--bins: edge {} is {}, after {}; give them in rising order.", e, edges[e], edges[e - 1]));
    }
  }
}

u64 triple_count(u64 n) { return n < 3 ? 0 : tetrahedral(n - 2); }

std::vector<double> squares_of(const SideBins& bins) {
  std::vector<double> squares;
  for (const double edge : bins.edges) {
    double square = edge * edge;
    while (square > 0 && std::sqrt(std::nextafter(square, 0.0)) >= edge) square = std::nextafter(square, 0.0);
    while (std::sqrt(square) < edge) square = std::nextafter(square, HUGE_VAL);
    squares.push_back(square);
  }
  return squares;
}

}  // namespace tri
