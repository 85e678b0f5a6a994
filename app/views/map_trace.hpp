#pragma once
/// A map laid open: every position of its launches and every tile that comes of it, in launch order. What the domain
/// view draws. Numbers only; a pure function of map and side.

#include <vector>

#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::app {

/// A tile in data space. Pairs and gasket: x column, y row, z 0. Triples: x <= y <= z.
struct TraceTile {
  u32 x = 0, y = 0, z = 0;
  u32 cell = 0;  ///< the position that it comes from
  bool diagonal = false;
};

/// A position in parallel space.
struct TracePosition {
  Position at;
  u32 first = 0, count = 0;  ///< its tiles; none: launched in vain
};

struct MapTrace {
  tri::Domain domain = tri::Domain::triangle;
  u32 side = 0;  ///< tiles a side
  std::vector<Launch> launches;
  std::vector<TracePosition> cells;  ///< in launch order: omega is the index
  std::vector<TraceTile> tiles;      ///< in the order of their cells
  u32 useful() const;                ///< cells with a tile
};

/// side: tiles a side, 1 to kLargestPair and kLargestTriple; levels: of the gasket, 0 to kMaxLevels, its side
/// 2^levels. Persistent maps are shown with four positions.
inline constexpr u32 kLargestPair = 64, kLargestTriple = 16, kMaxLevels = 6;
MapTrace trace_map(TriangleMapId map, u32 side);
MapTrace trace_map(TetraMapId map, u32 side);
MapTrace trace_map(GasketMapId map, u32 levels);

}  // namespace tri::app
