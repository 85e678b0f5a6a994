#pragma once
/// What a map launches in vain. Beside the map's name this is what `bench` and the panel print.

#include "map_concepts.hpp"

namespace tri {

/// Positions launched, and those of them that find a tile.
struct Waste {
  u64 launched = 0;
  u64 useful = 0;
  TRI_HD constexpr u64 wasted() const { return launched - useful; }
  /// Positions a useful one, >= 1; 0 for an empty domain.
  TRI_HD constexpr double ratio() const {
    return useful == 0 ? 0.0 : static_cast<double>(launched) / static_cast<double>(useful);
  }
};

/// A map with one tile a position has as many useful positions as tiles. A persistent map launches fewer positions
/// than there are tiles, and each has its run.
template <Map M>
constexpr Waste waste(const M& map) {
  const u64 launched = launched_positions(map), tiles = map.tile_count();
  return {launched, launched < tiles ? launched : tiles};
}

/// Improvement over the bounding box that launched blocks alone allow, for B blocks a side (gasket: B = 2^levels).
constexpr double improvement_bound_pairs(double b) { return 2.0 * b / (b + 1.0); }
constexpr double improvement_bound_triples(double b) { return 6.0 * b * b / ((b + 1.0) * (b + 2.0)); }
constexpr double improvement_bound_gasket(u32 levels) {
  double bound = 1.0;
  for (u32 u = 0; u < levels; ++u) bound *= 4.0 / 3.0;
  return bound;
}

}  // namespace tri
