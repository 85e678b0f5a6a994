// Walks three launches of side 4 with nothing but the installed headers.
#include <cstdio>
#include <triangulum/maps/maps.hpp>

template <class M, class Visit>
void walk(const M& map, Visit visit) {
  tri::for_each_position(map, [&](tri::Position p) { tri::tile_visits(map, p, visit); });
}

int main() {
  for (const auto id : {tri::TriangleMapId::lambda, tri::TriangleMapId::fold}) {
    tri::visit_triangle_map(id, 4, tri::Diagonal::with, 0, [](const auto& map) {
      tri::Tile2 last;
      walk(map, [&](tri::Tile2 tile) { last = tile; });
      std::printf("%s: %d tiles, last (%u, %u)\n", map.kInfo.name, int(map.tile_count()), last.row, last.col);
    });
  }
  tri::Tile3 last;
  const tri::TetraExact map(4, tri::Diagonal::with);
  walk(map, [&](tri::Tile3 tile) { last = tile; });
  std::printf("tetra: %d tiles, last (%u, %u, %u)\n", int(map.tile_count()), last.x, last.y, last.z);
}
