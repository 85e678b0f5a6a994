#pragma once
/// What all maps of the Sierpinski gasket share. The gasket of r levels lies in a square of side n = 2^r; a cell at x,
/// y (origin top-left, y down) belongs when (x & (n-1-y)) == 0, that is when each bit set in x is set in y:
///
///     r = 2, n = 4; omega in base 3: digit 0 above, 1 below left, 2 below right
///       0  .  .  .
///       1  2  .  .
///       3  .  6  .
///       4  5  7  8
///
/// In block space a block of side rho = 2^q is one cell of the gasket of rb = r - q levels, and it contains the gasket
/// of q levels (gasket_placement.hpp). A map sends block positions to the tiles of rb levels.

#include "map_concepts.hpp"

namespace tri {

/// 3^e for e <= 40.
TRI_HD constexpr u64 power_of_three(u32 e) {
  u64 product = 1;
  for (u32 i = 0; i < e; ++i) product *= 3;
  return product;
}

/// Whether (x, y) is a cell of the gasket in a square of side 2^r (any r that holds both).
TRI_HD constexpr bool in_gasket(u32 x, u32 y) { return (x & ~y) == 0; }

/// Largest level count: coordinates below 2^31.
inline constexpr u32 kGasketLevels = 31;

class GasketBase {
 public:
  using Tile = CellTile;
  using Cursor = OneTile<CellTile>;

  /// levels: rb <= 31; the side is 2^levels tiles.
  TRI_HD constexpr explicit GasketBase(u32 levels) : levels_(levels) {}

  TRI_HD constexpr u32 levels() const { return levels_; }
  TRI_HD constexpr u32 side() const { return 1u << levels_; }
  TRI_HD constexpr u64 tile_count() const { return power_of_three(levels_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }

 private:
  u32 levels_;
};

}  // namespace tri
