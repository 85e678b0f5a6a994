#include "app/views/map_sketch.hpp"

#include <algorithm>
#include <bit>

#include "sim/base/error.hpp"

namespace tri::app {
namespace {

/// Whether a cell is one of the gasket of that side (a power of two).
bool in_gasket(u32 row, u32 col, u32 side) { return (col & (side - 1 - row)) == 0; }

std::vector<SketchTile> domain_tiles(Domain domain, u32 side) {
  std::vector<SketchTile> tiles;
  const u32 layers = domain == Domain::tetrahedron ? side : 1;
  for (u32 layer = 0; layer < layers; ++layer) {
    const u32 rows = domain == Domain::tetrahedron ? layer + 1 : side;
    for (u32 row = 0; row < rows; ++row) {
      const u32 columns = domain == Domain::gasket ? side : row + 1;
      for (u32 col = 0; col < columns; ++col) {
        if (domain != Domain::gasket || in_gasket(row, col, side)) tiles.push_back({row, col, layer, 0, 0});
      }
    }
  }
  return tiles;
}

void meet_all(MapSketch& sketch, u32 side) {
  std::vector<SketchTile>& tiles = sketch.tiles;
  const auto order = [](const SketchTile& t) { return std::tuple(t.layer, t.row, t.col); };
  mapfile::for_each_answer(*sketch.map, side, [&](const mapfile::MetAt& met, bool idle, bool fault) {
    if (idle || fault || met.tile.row < 0 || met.tile.col < 0 || met.tile.layer < 0) return true;
    if (std::max({met.tile.row, met.tile.col, met.tile.layer}) >= static_cast<i64>(side)) return true;
    const SketchTile at{static_cast<u32>(met.tile.row), static_cast<u32>(met.tile.col),
                        static_cast<u32>(met.tile.layer), met.omega, 1};
    const auto found = std::lower_bound(tiles.begin(), tiles.end(), at,
                                        [&](const SketchTile& a, const SketchTile& b) { return order(a) < order(b); });
    if (found == tiles.end() || order(*found) != order(at)) return true;  // outside
    if (found->times++ == 0) found->omega = at.omega;
    return true;
  });
}

}  // namespace

MapSketch sketch_map(std::string_view text, u32 side) {
  MapSketch sketch;
  try {
    sketch.map = mapfile::MapFile::from_text(text, "map");
    const Domain domain = sketch.map->info().domain;
    side = std::clamp<u32>(side, 1, most_sketched(domain));
    if (domain == Domain::gasket) side = std::bit_floor(side);
    sketch.error = mapfile::proof_refusal(*sketch.map, side);
    if (!sketch.error.empty()) return sketch;
    sketch.proof = mapfile::prove(*sketch.map, side);
    sketch.tiles = domain_tiles(domain, side);
    meet_all(sketch, side);
  } catch (const Error& e) {
    sketch.error = e.what();
  }
  return sketch;
}

}  // namespace tri::app
