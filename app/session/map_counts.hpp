#pragma once
/// How many blocks a map launches for a side, and how many of them find a tile, by the map's id.

#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::app {

/// side: tiles a side, >= 1; elements for maps of threads. A persistent map counts as one position. Needs no table.
LaunchCounts map_counts(TriangleMapId map, u64 side);
LaunchCounts map_counts(TetraMapId map, u64 side);

}  // namespace tri::app
