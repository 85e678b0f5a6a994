#include "app/session/map_counts.hpp"

#include "sim/maps/map_registry.hpp"

namespace tri::app {

LaunchCounts map_counts(TriangleMapId map, u64 side) {
  if (info(map).table_bytes != nullptr) {  // a block a tile
    const u64 tiles = side * (side + 1) / 2;
    return {tiles, tiles};
  }
  LaunchCounts counts;
  visit_triangle_map(map, static_cast<u32>(side), Diagonal::with, 1, [&](const auto& m) { counts = launch_counts(m); });
  return counts;
}

LaunchCounts map_counts(TetraMapId map, u64 side) {
  if (info(map).table_bytes != nullptr) {
    const u64 tiles = side * (side + 1) / 2 * (side + 2) / 3;
    return {tiles, tiles};
  }
  LaunchCounts counts;
  visit_tetra_map(map, static_cast<u32>(side), Diagonal::with, 1, [&](const auto& m) { counts = launch_counts(m); });
  return counts;
}

}  // namespace tri::app
