#pragma once
/// Maps behind plain functions, so that their types are instantiated once for all tests.

#include <functional>
#include <string>
#include <vector>

#include "sim/maps/maps.hpp"

namespace tri::test {

/// A check_*_map of the map with that id.
MapReport report(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers = 7);
MapReport report(TetraMapId id, u32 side, Diagonal diagonal, u32 workers = 7);
MapReport report(GasketMapId id, u32 levels, u32 workers = 7);

/// The results of a map's functions.
struct Facts {
  u32 side = 0;
  u64 tiles = 0;
  std::vector<Launch> launches;
  LaunchCounts counts;
};
Facts facts(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers = 7);
Facts facts(TetraMapId id, u32 side, Diagonal diagonal, u32 workers = 7);
Facts facts(GasketMapId id, u32 levels, u32 workers = 7);

/// Every tile in the order of the launch.
void for_each_tile(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, const std::function<void(Tile2)>& visit);
void for_each_tile(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, const std::function<void(Tile3)>& visit);
void for_each_tile(GasketMapId id, u32 levels, const std::function<void(CellTile)>& visit);

/// The first tile of a position; fails the running test when there is none.
Tile2 tile_at(TriangleMapId id, u32 side, Diagonal diagonal, Position position);

inline std::vector<TriangleMapId> all_triangle_maps() {
  std::vector<TriangleMapId> ids;
  for (u32 i = 0; i < kTriangleMapCount; ++i) ids.push_back(static_cast<TriangleMapId>(i));
  return ids;
}
inline std::vector<TetraMapId> all_tetra_maps() {
  std::vector<TetraMapId> ids;
  for (u32 i = 0; i < kTetraMapCount; ++i) ids.push_back(static_cast<TetraMapId>(i));
  return ids;
}
inline std::vector<GasketMapId> all_gasket_maps() {
  std::vector<GasketMapId> ids;
  for (u32 i = 0; i < kGasketMapCount; ++i) ids.push_back(static_cast<GasketMapId>(i));
  return ids;
}
inline const Diagonal kBothDiagonals[] = {Diagonal::with, Diagonal::without};

inline std::string text(Diagonal d) { return d == Diagonal::with ? "with the diagonal" : "strict"; }

/// A reproducible stream of 64-bit numbers (splitmix64).
struct Random {
  u64 state = 42;
  u64 next() {
    u64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  u64 below(u64 bound) { return next() % bound; }
};

}  // namespace tri::test
