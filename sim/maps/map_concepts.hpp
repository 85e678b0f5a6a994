#pragma once
/// The interface of a map, and the types it is made of.
///
/// A map sends launch positions (parallel space: the place of a block or a thread in its grid) to tiles of
/// a domain (data space: the triangle of pairs, the tetrahedron of triples, the Sierpinski gasket). It knows
/// no threads, no data and no loop. For a position it returns a *cursor* of tiles,
///
///     for (auto tiles = map.begin(position); tiles.valid(); tiles.next()) work(tiles.tile());
///
/// so that one loop drives maps with one tile a position and persistent maps with a run of tiles. With one tile
/// it compiles to an `if`.
///
/// All types are plain values, can be passed to a kernel by value, and are safe to share among threads.

#include <concepts>

#include "../base/platform.hpp"

namespace tri {

/// Place of a block (block space) or a thread (thread space) in the launch. `x` has 64 bits because a
/// one-dimensional grid of T2(m) blocks exceeds 2^32 at m = 92,682. `pass` counts the launches of a map.
struct Position {
  u64 x = 0;
  u32 y = 0;
  u32 z = 0;
  u32 pass = 0;
};

/// One grid of a map in positions, before launch_split.hpp splits it into grids that a GPU accepts.
struct Launch {
  u64 x = 1;
  u32 y = 1;
  u32 z = 1;
  u32 pass = 0;
};

TRI_HD constexpr u64 positions(const Launch& g) { return g.x * g.y * g.z; }

/// A tile of the triangle of pairs: row >= col (strict maps: row > col).
struct Tile2 {
  u32 row = 0;
  u32 col = 0;
  friend TRI_HD constexpr bool operator==(const Tile2& a, const Tile2& b) { return a.row == b.row && a.col == b.col; }
};

/// A tile of the tetrahedron of triples: x <= y <= z, that is column, row, layer (TRI eq. 17).
struct Tile3 {
  u32 x = 0;
  u32 y = 0;
  u32 z = 0;
  friend TRI_HD constexpr bool operator==(const Tile3& a, const Tile3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

/// A tile of the gasket: column x, row y, origin top-left, y down.
struct CellTile {
  u32 x = 0;
  u32 y = 0;
  friend TRI_HD constexpr bool operator==(const CellTile& a, const CellTile& b) { return a.x == b.x && a.y == b.y; }
};

/// Whether the main diagonal (for triples: tuples with equal indices) belongs to the domain.
enum class Diagonal : u8 { with, without };

/// Whether a position is a block, whose threads fill one tile, or a single thread with one element.
/// A thread-space map of n elements is the map with n tiles of side 1.
enum class Space : u8 { block, thread };

enum class Domain : u8 { triangle, tetrahedron, gasket };

class TypedMap;

/// Description of a map: its row in `triangulum list maps`, and what refusal() needs to know.
struct MapInfo {
  const char* name;  ///< as on the command line
  Domain domain;
  Space space;
  const char* formula;      ///< one line, for tables and the panel
  const char* source;       ///< paper and equation, or "ours"
  const char* limit;        ///< the exact limit, in words
  u64 max_side;             ///< largest number of tiles a side (elements in thread space) for which it is exact
  const char* alternative;  ///< exact map to use beyond that; nullptr when there is none
  bool historical;          ///< kept as published, wrong beyond max_side
  /// Bytes of the map's table for a side of that many tiles, its diagonal included; nullptr: the map has no table.
  u64 (*table_bytes)(u64 side) = nullptr;
  const TypedMap* typed = nullptr;  ///< a map that the program was given at run time (typed_map.hpp), else nullptr
};

/// At most one tile.
template <class T>
struct OneTile {
  T at{};
  bool inside = false;
  TRI_HD constexpr bool valid() const { return inside; }
  TRI_HD constexpr void next() { inside = false; }
  TRI_HD constexpr T tile() const { return at; }
};

template <class M>
concept Map = requires(const M& map, Position position, u32 pass) {
  typename M::Tile;
  { M::kInfo } -> std::convertible_to<MapInfo>;
  { map.side() } -> std::same_as<u32>;        // tiles a side of the domain
  { map.tile_count() } -> std::same_as<u64>;  // tiles of the domain, each met once
  { map.launch_count() } -> std::same_as<u32>;
  { map.launch(pass) } -> std::same_as<Launch>;
  { map.begin(position).valid() } -> std::same_as<bool>;
  { map.begin(position).tile() } -> std::same_as<typename M::Tile>;
};

/// Positions launched, over all passes.
template <Map M>
constexpr u64 launched_positions(const M& map) {
  u64 sum = 0;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) sum += positions(map.launch(pass));
  return sum;
}

}  // namespace tri
