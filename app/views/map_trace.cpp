#include "app/views/map_trace.hpp"

#include <algorithm>

#include "sim/base/contracts.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

constexpr u32 kWorkers = 4;

TraceTile shown(const Tile2& t) { return {t.col, t.row, 0, 0, t.row == t.col}; }
TraceTile shown(const Tile3& t) { return {t.x, t.y, t.z, 0, t.x == t.y || t.y == t.z}; }
TraceTile shown(const CellTile& t) { return {t.x, t.y, 0, 0, false}; }

template <class M>
void walk(const M& map, MapTrace& p) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    p.launches.push_back(launch);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) {
          const Position at{x, y, z, pass};
          TracePosition cell{at, static_cast<u32>(p.tiles.size()), 0};
          for (auto tiles = map.begin(at); tiles.valid(); tiles.next(), ++cell.count) {
            p.tiles.push_back(shown(tiles.tile()));
            p.tiles.back().cell = static_cast<u32>(p.cells.size());
          }
          p.cells.push_back(cell);
        }
      }
    }
  }
}

}  // namespace

u32 MapTrace::useful() const {
  return static_cast<u32>(
      std::count_if(cells.begin(), cells.end(), [](const TracePosition& c) { return c.count > 0; }));
}

MapTrace trace_map(TriangleMapId id, u32 side) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTriangleSide);
  MapTrace p{tri::Domain::triangle, side, {}, {}, {}};
  visit_triangle_map(id, side, Diagonal::with, kWorkers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(TetraMapId id, u32 side) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTetraSide);
  MapTrace p{tri::Domain::tetrahedron, side, {}, {}, {}};
  visit_tetra_map(id, side, Diagonal::with, kWorkers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(GasketMapId id, u32 levels) {
  TRI_EXPECTS(levels <= kMaxLevels);
  MapTrace p{tri::Domain::gasket, u32{1} << levels, {}, {}, {}};
  visit_gasket_map(id, levels, kWorkers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(tri::Domain domain, u32 map, u32 side) {
  if (domain == tri::Domain::triangle) return trace_map(static_cast<TriangleMapId>(map), side);
  if (domain == tri::Domain::tetrahedron) return trace_map(static_cast<TetraMapId>(map), side);
  return trace_map(static_cast<GasketMapId>(map), side);
}

}  // namespace tri::app
