#include "app/views/map_trace.hpp"

#include <algorithm>

#include "sim/base/contracts.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

TraceTile shown(const Tile2& t) { return {t.col, t.row, 0, 0, t.row == t.col}; }
TraceTile shown(const Tile3& t) { return {t.x, t.y, t.z, 0, t.x == t.y || t.y == t.z}; }
TraceTile shown(const CellTile& t) { return {t.x, t.y, 0, 0, false}; }

/// Positions of a trace. No built-in map has as many at these sides; a typed one may launch what it likes.
constexpr std::size_t kMaxTraced = 1u << 20;

/// A typed map that is wrong may send positions elsewhere; these are drawn as idle.
bool belongs(const Tile2& t, u32 side) { return TriangleCells{side, false}.holds(t); }
bool belongs(const Tile3& t, u32 side) { return TetraCells{side, false}.holds(t); }
bool belongs(const CellTile& t, u32 side) { return GasketCells{side}.holds(t); }

template <class M>
void walk(const M& map, MapTrace& p) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    p.launches.push_back(launch);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) {
          if (p.cells.size() == kMaxTraced) return;
          const Position at{x, y, z, pass};
          TracePosition cell{at, static_cast<u32>(p.tiles.size()), 0};
          for (auto tiles = map.begin(at); tiles.valid(); tiles.next()) {
            if (!belongs(tiles.tile(), p.side)) continue;
            ++cell.count;
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

MapTrace trace_map(TriangleMapId id, u32 side, u32 workers) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTriangleSide);
  MapTrace p{tri::Domain::triangle, side, {}, {}, {}};
  visit_triangle_map(id, side, Diagonal::with, workers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(TetraMapId id, u32 side, u32 workers) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTetraSide);
  MapTrace p{tri::Domain::tetrahedron, side, {}, {}, {}};
  visit_tetra_map(id, side, Diagonal::with, workers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(GasketMapId id, u32 levels, u32 workers) {
  TRI_EXPECTS(levels <= kMaxLevels);
  MapTrace p{tri::Domain::gasket, u32{1} << levels, {}, {}, {}};
  visit_gasket_map(id, levels, workers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(tri::Domain domain, u32 map, u32 side, u32 workers) {
  if (domain == tri::Domain::triangle) return trace_map(static_cast<TriangleMapId>(map), side, workers);
  if (domain == tri::Domain::tetrahedron) return trace_map(static_cast<TetraMapId>(map), side, workers);
  return trace_map(static_cast<GasketMapId>(map), side, workers);
}

std::vector<u32> owners(const MapTrace& trace, const RankShares& shares) {
  std::vector<u32> of;
  for (const TracePosition& cell : trace.cells) {
    of.push_back(shares.owner(trace.launches[cell.at.pass], cell.at, of.size(), trace.cells.size()));
  }
  return of;
}

u32 trace_workers(u32 ranks) { return ranks > 1 ? 16 * ranks : kTraceWorkers; }

}  // namespace tri::app
