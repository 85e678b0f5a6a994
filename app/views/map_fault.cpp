#include "app/views/map_fault.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/contracts.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

template <class M, class Cells>
std::optional<MapFault> walk_all(const M& map, const Cells& cells) {
  std::vector<u8> visits(cells.count());
  MapFault fault{cells.side, {}, 0, 0, 0};
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) {
          for (auto tiles = map.begin({x, y, z, pass}); tiles.valid(); tiles.next()) {
            if (!cells.holds(tiles.tile())) {
              ++fault.outside;
            } else if (u8& count = visits[cells.index(tiles.tile())]; count < 255) {
              ++count;
            }
          }
        }
      }
    }
  }
  const auto wrong = std::find_if(visits.begin(), visits.end(), [](u8 count) { return count != 1; });
  if (wrong == visits.end() && fault.outside == 0) return std::nullopt;
  fault.missed = static_cast<u64>(std::count(visits.begin(), visits.end(), u8{0}));
  u64 w = static_cast<u64>(wrong - visits.begin());
  if (wrong != visits.end()) fault.visits = *wrong;
  if constexpr (std::is_same_v<Cells, TetraCells>) {
    u32 layer = 0;
    while (tetrahedral(layer + 1) <= w) ++layer;
    fault.tile.z = layer;
    w -= tetrahedral(layer);
  }
  u32 row = 0;
  while (triangular_of_row(row + 1) <= w) ++row;
  fault.tile.y = row, fault.tile.x = static_cast<u32>(w - triangular_of_row(row));
  return fault;
}

}  // namespace

std::optional<MapFault> find_fault(TriangleMapId id, u32 side) {
  TRI_EXPECTS(side >= 1 && side <= kMaxFaultSide);
  std::optional<MapFault> fault;
  visit_triangle_map(id, side, Diagonal::with, 1, [&](const auto& map) {
    fault = walk_all(map, TriangleCells{side, false});
  });
  return fault;
}

std::optional<MapFault> find_fault(TetraMapId id, u32 side) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTetraFaultSide);
  std::optional<MapFault> fault;
  visit_tetra_map(id, side, Diagonal::with, 1, [&](const auto& map) {
    fault = walk_all(map, TetraCells{side, false});
  });
  return fault;
}

}  // namespace tri::app
