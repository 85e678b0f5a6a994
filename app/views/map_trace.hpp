#pragma once
/// The trace of a map: every position of its launches and the tiles it maps to, in launch order. Drawn by the domain
/// view. Numbers only; a pure function of map and side.

#include <vector>

#include "sim/backend/rank_shares.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::app {

/// A tile in data space. Pairs and gasket: x column, y row, z 0. Triples: x <= y <= z.
struct TraceTile {
  u32 x = 0, y = 0, z = 0;
  u32 cell = 0;  ///< index of its position
  bool diagonal = false;
};

/// A position in parallel space.
struct TracePosition {
  Position at;
  u32 first = 0, count = 0;  ///< its tiles; count 0: idle
};

struct MapTrace {
  tri::Domain domain = tri::Domain::triangle;
  u32 side = 0;  ///< tiles per side
  std::vector<Launch> launches;
  std::vector<TracePosition> cells;  ///< in launch order: omega is the index
  std::vector<TraceTile> tiles;      ///< in the order of their positions
  u32 useful() const;                ///< positions with a tile
};

/// side: tiles per side, 1 to kMaxTriangleSide or kMaxTetraSide; levels: of the gasket, 0 to kMaxLevels, its side is
/// 2^levels. workers: of persistent maps.
inline constexpr u32 kMaxTriangleSide = 64, kMaxTetraSide = 16, kMaxLevels = 6;
inline constexpr u32 kTraceWorkers = 4;
MapTrace trace_map(TriangleMapId map, u32 side, u32 workers = kTraceWorkers);
MapTrace trace_map(TetraMapId map, u32 side, u32 workers = kTraceWorkers);
MapTrace trace_map(GasketMapId map, u32 levels, u32 workers = kTraceWorkers);
/// The map of that number in its domain; side: levels for the gasket.
MapTrace trace_map(tri::Domain domain, u32 map, u32 side, u32 workers = kTraceWorkers);

/// [cells] the rank that works on each position.
std::vector<u32> owners(const MapTrace& trace, const RankShares& shares);
/// Workers of a persistent map that so many ranks share, a whole number for each and enough to show uneven shares.
u32 trace_workers(u32 ranks);

}  // namespace tri::app
