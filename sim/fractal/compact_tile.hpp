#pragma once
/// How a tile of a fractal in compact storage meets its neighbours. An automaton needs the cells around each cell, and
/// in compact storage those lie elsewhere. So a block lays its tile out in a small box, as it would be embedded, with a
/// rim one cell wide taken from the tiles around it; then a neighbour is one step away.
///
///     box of a 2 x 2 tile of the gasket (places 0..15)       tiles around, numbered 0..8
///        r r r r        o  its own cells (.: no cell)            0 1 2
///        r o . r        r  the rim: cells of the tiles           3 4 5      4 is the tile itself
///        r o o r           around, where these have cells        6 7 8
///        r r r r
///
/// Which place of the box is which cell of which tile is the same for all tiles of a fractal: it is this list. The
/// position of a cell in compact storage is that of its tile's corner plus its own within the tile.

#include <vector>

#include "sim/maps/fractal_shape.hpp"

namespace tri {

/// One place of the box: cell (x, y), packed, of tile `side`.
struct BoxCell {
  std::uint16_t place = 0;
  std::uint16_t side = 0;
  std::uint16_t x = 0, y = 0;
};

struct CompactTile {
  u32 dimensions = 2;
  u32 pitch = 3;               ///< places a side of the box: block + 2
  u32 places = 9;              ///< pitch^dimensions
  u32 own = 1;                 ///< k^inner
  std::vector<BoxCell> cells;  ///< the tile's own first, then those of the rim

  u32 sides() const { return dimensions == 3 ? 27 : 9; }
  u32 centre() const { return sides() / 2; }
};

/// Largest box: a block of a device holds it in its own memory, a byte a place.
inline constexpr u32 kMaxPlaces = 48 << 10;

/// Whether the box of a tile of this side is small enough.
bool box_fits(u32 dimensions, u32 block);

/// Of tiles of s^inner cells a side; box_fits() must hold.
CompactTile compact_tile(const FractalShape& shape, u32 inner);

/// Tile number `side` around a tile; its coordinates wrap below 0, to huge numbers beyond any side.
TRI_HD constexpr FractalCell tile_beside(const FractalCell& tile, u32 side, u32 dimensions) {
  return {tile.x + side % 3 - 1, tile.y + side / 3 % 3 - 1, dimensions == 3 ? tile.z + side / 9 - 1 : 0};
}

}  // namespace tri
