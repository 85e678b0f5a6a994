#pragma once
/// Cells of fractals: rules of life, and the copy list of a compact tile.
///
/// Life-like rules of cellular automata: whether a cell is born or survives depends on how many of its neighbours are
/// on. On a fractal, the 8 neighbouring positions (26 in three dimensions) that do not belong to it count as off.

#include <vector>

#include "sim/base/platform.hpp"
#include "sim/maps/fractal_shape.hpp"

namespace tri {

/// Bit c is set if c live neighbours cause birth or survival.
struct LifeRule {
  static constexpr u32 kMaxNeighbours = 26;

  u32 birth = 1u << 3;
  u32 survive = 1u << 2 | 1u << 3;  ///< default: Conway's Life

  TRI_HD constexpr u8 next(u32 on, u32 neighbours) const {
    return static_cast<u8>(((on != 0 ? survive : birth) >> neighbours) & 1u);
  }
  friend TRI_HD constexpr bool operator==(const LifeRule& a, const LifeRule& b) {
    return a.birth == b.birth && a.survive == b.survive;
  }
};

// Neighbourhoods in compact storage. An automaton needs the cells around each cell, which compact storage scatters. So
// a block unpacks its tile into a small box, in embedded layout, with a halo one cell wide from the neighbouring
// tiles; in the box a neighbour is one step away.
//
//     box of a 2 x 2 tile of the gasket (slots 0..15)        neighbouring tiles, numbered 0..8
//        h h h h        o  cells of the tile (.: no cell)        0 1 2
//        h o . h        h  halo: cells of neighbouring           3 4 5      4 is the tile itself
//        h o o h           tiles, where they have cells          6 7 8
//        h h h h
//
// Which slot of the box is which cell of which tile is the same for all tiles of a fractal, and listed here. The
// offset of a cell in compact storage is that of its tile's corner plus its offset within the tile.

/// One slot of the box: cell (x, y), packed, of tile `side`.
struct BoxCell {
  std::uint16_t slot = 0;
  std::uint16_t side = 0;
  std::uint16_t x = 0, y = 0;
};

struct CompactTile {
  u32 dimensions = 2;
  u32 pitch = 3;               ///< slots per side of the box: block + 2
  u32 slots = 9;               ///< pitch^dimensions
  u32 own = 1;                 ///< cells of the tile itself: k^inner
  std::vector<BoxCell> cells;  ///< the tile's own first, then those of the halo

  u32 sides() const { return dimensions == 3 ? 27 : 9; }
  u32 centre() const { return sides() / 2; }
};

/// Maximum slots of a box: it must fit into the shared memory of a block, one byte per slot.
inline constexpr u32 kMaxSlots = 48 << 10;

/// Whether the box of a tile with this side has at most kMaxSlots slots.
bool box_fits(u32 dimensions, u32 block);

/// For tiles of s^inner cells per side; expects box_fits().
CompactTile compact_tile(const FractalShape& shape, u32 inner);

/// Neighbour number `side` of a tile. Coordinates below 0 wrap to huge numbers beyond any side.
TRI_HD constexpr FractalCell neighbour_tile(const FractalCell& tile, u32 side, u32 dimensions) {
  return {tile.x + side % 3 - 1, tile.y + side / 3 % 3 - 1, dimensions == 3 ? tile.z + side / 9 - 1 : 0};
}

}  // namespace tri
