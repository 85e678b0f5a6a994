#pragma once
/// Checks of maps, shared by the tests, by `triangulum verify` and by kernels that do the same on a device.
///
/// There are two kinds. A *cover* check walks every position of every launch and counts each tile: each tile of the
/// domain must be met once, and no other. An *index* check tests a root for one omega or one row. What a device does
/// per thread is TRI_HD (holds() and index() of the domains, tile_visits(), row_is_right() ...); loops and messages are
/// host only.

#include <initializer_list>
#include <string>
#include <vector>

#include "figurate.hpp"
#include "gasket_base.hpp"
#include "map_concepts.hpp"

namespace tri {

/// The domains of a cover check: which tiles belong to them, and a number for each tile.
struct TriangleCells {
  u32 side = 0;
  bool strict = false;

  TRI_HD constexpr bool holds(Tile2 t) const { return t.row < side && t.col + u64{strict} <= t.row; }
  TRI_HD constexpr u64 index(Tile2 t) const { return triangular_of_row(t.row - strict) + t.col; }
  TRI_HD constexpr u64 count() const { return strict ? triangular_before(side) : triangular_of_row(side); }
};

struct TetraCells {
  u32 side = 0;
  bool strict = false;

  TRI_HD constexpr bool holds(Tile3 t) const {
    return t.z < side && t.y + u64{strict} <= t.z && t.x + u64{strict} <= t.y;
  }
  TRI_HD constexpr u64 index(Tile3 t) const {
    return tetrahedral_of_layer(t.z - 2 * u32{strict}) + triangular_of_row(t.y - u32{strict}) + t.x;
  }
  TRI_HD constexpr u64 count() const {
    const u32 less = 2 * u32{strict};
    return side > less ? tetrahedral(side - less) : 0;
  }
};

struct GasketCells {
  u32 side = 0;

  TRI_HD constexpr bool holds(CellTile t) const { return t.x < side && t.y < side && in_gasket(t.x, t.y); }
  TRI_HD constexpr u64 index(CellTile t) const {
    u64 w = 0, power = 1;
    for (u32 bit = 1; bit != 0 && bit < side; bit <<= 1, power *= 3) {
      w += power * (((t.x & bit) ? 1u : 0u) + ((t.y & bit) ? 1u : 0u));
    }
    return w;
  }
  TRI_HD constexpr u64 count() const {
    u64 cells = 1;
    for (u32 bit = 1; bit != 0 && bit < side; bit <<= 1) cells *= 3;
    return cells;
  }
};

namespace detail {

inline std::string tuple(std::initializer_list<u64> values) {
  std::string out;
  for (const u64 v : values) {
    out += out.empty() ? "(" : ", ";
    out += std::to_string(v);
  }
  return out += ")";
}
inline std::string text(Tile2 t) { return tuple({t.row, t.col}); }
inline std::string text(Tile3 t) { return tuple({t.x, t.y, t.z}); }
inline std::string text(CellTile t) { return tuple({t.x, t.y}); }
inline std::string text(Position p) {
  return std::string("position ") + tuple({p.x, p.y, p.z}) + " of launch " + std::to_string(p.pass);
}

/// Tile of a number, for messages: by search, so that it does not rely on the roots under test.
inline Tile2 tile_of(const TriangleCells& cells, u64 index) {
  u32 row = 0;
  for (u32 step = 1u << 31; step != 0; step >>= 1) {
    if (triangular_of_row(row + step) <= index) row += step;
  }
  return {row + cells.strict, static_cast<u32>(index - triangular_of_row(row))};
}
inline Tile3 tile_of(const TetraCells& cells, u64 index) {
  u32 z = 0;
  while (tetrahedral(u64{z} + 1) <= index) ++z;
  const Tile2 at = tile_of(TriangleCells{cells.side, false}, index - tetrahedral(z));
  return {at.col, at.row + cells.strict, z + 2 * u32{cells.strict}};
}
inline CellTile tile_of(const GasketCells&, u64 index) {
  CellTile t;
  for (u32 u = 0; index != 0; ++u, index /= 3) {
    t.x |= static_cast<u32>((index % 3) >> 1) << u;
    t.y |= static_cast<u32>((index % 3 + 1) >> 1) << u;
  }
  return t;
}

/// The name of a map; a typed one has its own.
template <class M>
std::string name_of(const M& map) {
  if constexpr (requires { map.name(); }) {
    return map.name();
  } else {
    return map.kInfo.name;
  }
}

}  // namespace detail

/// The result of a cover check.
struct MapReport {
  u64 launched = 0;      ///< positions
  u64 useful = 0;        ///< positions that found at least one tile
  u64 tiles = 0;         ///< tiles met, with duplicates and those outside
  u64 expected = 0;      ///< tiles of the domain
  u64 duplicates = 0;    ///< meetings beyond the first
  u64 holes = 0;         ///< tiles never met
  u64 outside = 0;       ///< meetings outside the domain
  std::string sentence;  ///< the first fault and the counts in words; empty when there is none

  bool passed() const { return duplicates == 0 && holes == 0 && outside == 0 && tiles == expected; }
};

/// Calls visit(tile) for each tile of one position, and returns their number. On a device: one thread or block.
template <class M, class Visit>
TRI_HD u64 tile_visits(const M& map, Position position, Visit&& visit) {
  u64 met = 0;
  for (auto tiles = map.begin(position); tiles.valid(); tiles.next(), ++met) visit(tiles.tile());
  return met;
}

/// Calls f(position) for every position of every launch of a map, x fastest.
template <class M, class F>
void for_each_position(const M& map, F&& f) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch g = map.launch(pass);
    for (u32 z = 0; z < g.z; ++z) {
      for (u32 y = 0; y < g.y; ++y) {
        for (u64 x = 0; x < g.x; ++x) f(Position{x, y, z, pass});
      }
    }
  }
}

/// Walks all launches. Takes one byte a tile; throws std::bad_alloc.
template <class M, class Cells>
MapReport check_cover(const M& map, const Cells& cells) {
  MapReport report;
  report.expected = cells.count();
  std::vector<u8> met(report.expected);
  std::string fault;
  for_each_position(map, [&](Position position) {
    ++report.launched;
    const u64 visits = tile_visits(map, position, [&](auto tile) {
      const bool inside = cells.holds(tile);
      u8* count = inside ? &met[cells.index(tile)] : nullptr;
      report.outside += !inside;
      if (count != nullptr && *count == 0) {
        *count = 1;
        return;
      }
      report.duplicates += inside;
      if (fault.empty()) {
        fault = detail::text(position) + " answers tile " + detail::text(tile) +
                (inside ? ", which was met before" : ", which is outside");
      }
    });
    report.tiles += visits;
    report.useful += visits != 0;
  });
  for (u64 i = 0; i < report.expected; ++i) {
    if (met[i] != 0) continue;
    if (report.holes++ == 0) {
      fault += (fault.empty() ? "tile " : "; tile ") + detail::text(detail::tile_of(cells, i)) + " is never met";
    }
  }
  if (!report.passed()) {
    report.sentence = detail::name_of(map) + " at side " + std::to_string(map.side()) + ": " + fault + " (" +
                      std::to_string(report.duplicates) + " duplicates, " + std::to_string(report.holes) + " holes, " +
                      std::to_string(report.outside) + " outside, " + std::to_string(report.expected) + " tiles).";
  }
  return report;
}

template <class M>
MapReport check_triangle_map(const M& map) {
  return check_cover(map, TriangleCells{map.side(), map.diagonal() == Diagonal::without});
}
template <class M>
MapReport check_tetra_map(const M& map) {
  return check_cover(map, TetraCells{map.side(), map.diagonal() == Diagonal::without});
}
template <class M>
MapReport check_gasket_map(const M& map) {
  return check_cover(map, GasketCells{map.side()});
}

/// Roots as function objects, so that host loops and kernels share one test body.
template <RootSeed kSeed>
struct ExactRow {
  TRI_HD u32 operator()(u64 w) const { return triangular_root<kSeed>(w); }
};
struct ExactLayer {
  TRI_HD u32 operator()(u64 w) const { return tetrahedral_root(w); }
};

/// Whether row is the row of w: T2(row) <= w < T2(row + 1), without using any root.
TRI_HD constexpr bool row_is_right(u64 w, u32 row) {
  const u64 first = triangular_of_row(row);
  return first <= w && w - first <= row;
}
/// Whether z is the layer of w: T3(z) <= w < T3(z + 1).
TRI_HD constexpr bool layer_is_right(u64 w, u32 z) { return tetrahedral(z) <= w && w < tetrahedral(u64{z} + 1); }

/// Test bodies of one index: the first and last omega of a row (layer).
template <class Root>
TRI_HD bool check_row_boundaries(const Root& root, u32 row) {
  const u64 first = triangular_of_row(row);
  return root(first) == row && root(first + row) == row;
}
template <class Root>
TRI_HD bool check_layer_boundaries(const Root& root, u32 z) {
  return root(tetrahedral(z)) == z && root(tetrahedral(u64{z} + 1) - 1) == z;
}

/// First omega in [from, to) whose row is wrong, or `to`. Stride 1 is the exhaustive scan.
template <class Root>
u64 first_wrong_row(const Root& root, u64 from, u64 to, u64 stride = 1) {
  for (u64 w = from; w < to; w += stride) {
    if (!row_is_right(w, root(w))) return w;
  }
  return to;
}
template <class Root>
u64 first_wrong_layer(const Root& root, u64 from, u64 to, u64 stride = 1) {
  for (u64 w = from; w < to; w += stride) {
    if (!layer_is_right(w, root(w))) return w;
  }
  return to;
}

/// Rows at which some form of the map is known to fail: limits of the historical maps, of 32-bit products, and of the
/// float32 seed.
inline constexpr u32 kBoundaryRows[] = {0,    1,    2,     1621,  1622,  1948,  1949,  2054,  2055,  4606,    4607,
                                        9998, 9999, 10000, 10001, 65534, 65535, 65536, 92680, 92681, 1048576, 8390655};

/// Whether b is the tile after a in row order: (i, j+1), at the end of a row (i+1, 0). Strict rows end one earlier.
TRI_HD constexpr bool follows(Tile2 a, Tile2 b, bool strict) {
  return a.col + u32{strict} == a.row ? b == Tile2{a.row + 1, 0} : b == Tile2{a.row, a.col + 1};
}
/// The same in layer order.
TRI_HD constexpr bool follows(Tile3 a, Tile3 b, bool strict) {
  const u32 s = strict;
  if (a.x + s != a.y) return b == Tile3{a.x + 1, a.y, a.z};
  if (a.y + s != a.z) return b == Tile3{0, a.y + 1, a.z};
  return b == Tile3{0, s, a.z + 1};
}

}  // namespace tri
