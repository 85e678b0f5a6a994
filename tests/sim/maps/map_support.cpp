#include "tests/sim/maps/map_support.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace tri::test {

namespace {

template <class M>
Facts facts_of(const M& map) {
  static_assert(Map<M>);
  constexpr bool kTyped =
      std::is_same_v<M, TypedTriangle> || std::is_same_v<M, TypedTetra> || std::is_same_v<M, TypedGasket>;
  static_assert(kTyped || std::is_trivially_copyable_v<M>, "a kernel takes the map by value");
  Facts facts{map.side(), map.tile_count(), {}, launch_counts(map)};
  for (u32 pass = 0; pass < map.launch_count(); ++pass) facts.launches.push_back(map.launch(pass));
  return facts;
}

template <class M, class F>
void walk(const M& map, const F& visit) {
  for_each_position(map, [&](Position p) { tile_visits(map, p, visit); });
}

}  // namespace

MapReport report(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers) {
  MapReport out;
  visit_triangle_map(id, side, diagonal, workers, [&](const auto& map) { out = check_triangle_map(map); });
  return out;
}
MapReport report(TetraMapId id, u32 side, Diagonal diagonal, u32 workers) {
  MapReport out;
  visit_tetra_map(id, side, diagonal, workers, [&](const auto& map) { out = check_tetra_map(map); });
  return out;
}
MapReport report(GasketMapId id, u32 levels, u32 workers) {
  MapReport out;
  visit_gasket_map(id, levels, workers, [&](const auto& map) { out = check_gasket_map(map); });
  return out;
}

Facts facts(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers) {
  Facts out;
  visit_triangle_map(id, side, diagonal, workers, [&](const auto& map) { out = facts_of(map); });
  return out;
}
Facts facts(TetraMapId id, u32 side, Diagonal diagonal, u32 workers) {
  Facts out;
  visit_tetra_map(id, side, diagonal, workers, [&](const auto& map) { out = facts_of(map); });
  return out;
}
Facts facts(GasketMapId id, u32 levels, u32 workers) {
  Facts out;
  visit_gasket_map(id, levels, workers, [&](const auto& map) { out = facts_of(map); });
  return out;
}

void for_each_tile(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers,
                   const std::function<void(Tile2)>& visit) {
  visit_triangle_map(id, side, diagonal, workers, [&](const auto& map) { walk(map, visit); });
}
void for_each_tile(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, const std::function<void(Tile3)>& visit) {
  visit_tetra_map(id, side, diagonal, workers, [&](const auto& map) { walk(map, visit); });
}
void for_each_tile(GasketMapId id, u32 levels, const std::function<void(CellTile)>& visit) {
  visit_gasket_map(id, levels, 7, [&](const auto& map) { walk(map, visit); });
}

Tile2 tile_at(TriangleMapId id, u32 side, Diagonal diagonal, Position position) {
  Tile2 tile;
  visit_triangle_map(id, side, diagonal, 1, [&](const auto& map) {
    auto tiles = map.begin(position);
    EXPECT_TRUE(tiles.valid()) << map.kInfo.name << " finds nothing";
    tile = tiles.tile();
  });
  return tile;
}

}  // namespace tri::test
