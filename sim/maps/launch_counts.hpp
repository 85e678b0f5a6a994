#pragma once
/// How many positions a map launches, and how many of them find a tile: what `bench` and the panel print beside its
/// name.

#include "map_concepts.hpp"

namespace tri {

struct LaunchCounts {
  u64 launched = 0;  ///< positions, over all passes
  u64 useful = 0;    ///< those that find a tile
  TRI_HD constexpr u64 idle() const { return launched - useful; }
};

/// A map with one tile a position has as many useful positions as tiles. A persistent map launches fewer positions
/// than there are tiles, and each has its run.
template <Map M>
constexpr LaunchCounts launch_counts(const M& map) {
  const u64 launched = launched_positions(map), tiles = map.tile_count();
  return {launched, launched < tiles ? launched : tiles};
}

}  // namespace tri
