#pragma once
/// What goes wrong where a published map is used beyond its limit: found by walking every position.

#include <optional>

#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::app {

/// The tile of a map's domain with the least number (rows of columns) whose visits are not one, at some side.
struct MapFault {
  u64 side = 0;     ///< tiles a side
  Tile3 tile{};     ///< pairs: x column, y row, z 0
  u32 visits = 0;   ///< 0: no position is sent there; 2 and more: so many
  u64 missed = 0;   ///< tiles without a visit
  u64 outside = 0;  ///< visits beyond the domain
};

/// Walks the map at this side, 1 to kMaxFaultSide of its domain; nothing where every tile is met once. Takes a byte a
/// tile and a pass over all positions: some 50 ms at the limit of lambda-x.
std::optional<MapFault> find_fault(TriangleMapId map, u32 side);
std::optional<MapFault> find_fault(TetraMapId map, u32 side);
inline constexpr u32 kMaxFaultSide = 8192, kMaxTetraFaultSide = 512;

}  // namespace tri::app
