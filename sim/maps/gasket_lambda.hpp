#pragma once
/// `gasket`: the block-space map of GASKET. The 3^r cells pack into a grid of 3^ceil(r/2) x 3^floor(r/2); each level u
/// reads one base-3 digit, the odd levels from x, the even ones from y, and adds one step of 2^(u-1).
///
///     r = 2, grid 3 x 3 (omega = x + 3y)        tiles of side 4
///       0  1  2                                   0  .  .  .
///       3  4  5                                   1  2  .  .
///       6  7  8                                   3  .  6  .
///                                                 4  5  7  8
///
///     beta_u = floor(wc / 3^(ceil(u/2)-1)) mod 3, wc = wx (u odd) or wy (u even)
///     tau = (floor(beta/2), beta - floor(beta/2)),   lambda = sum over u of tau 2^(u-1)
///
/// Source: GASKET (arXiv 1706.04552), its lambda. Launches: one, 3^ceil(rb/2) x 3^floor(rb/2). No idle blocks. The
/// levels are independent, so a block can sum them by shuffles in O(log log n) steps: gasket_level() is one level.
/// Exact for sides up to 2^31.

#include "gasket_base.hpp"

namespace tri {

/// The step of a base-3 digit at level u (from 1).
TRI_HD constexpr CellTile gasket_step(u32 beta, u32 u) {
  const u32 right = beta >> 1;
  return {right << (u - 1), (beta - right) << (u - 1)};
}

/// What level u in 1..levels adds to the tile of packed position (wx, wy), both below 3^16.
TRI_HD constexpr CellTile gasket_level(u64 wx, u64 wy, u32 u) {
  u32 power = 1;
  for (u32 e = (u - 1) / 2; e != 0; --e) power *= 3;
  return gasket_step(static_cast<u32>((u & 1) ? wx : wy) / power % 3, u);
}

class GasketLambda : public GasketBase {
 public:
  static constexpr MapInfo kInfo{"gasket",
                                 Domain::gasket,
                                 Space::block,
                                 "sum over levels u of tau(beta_u) 2^(u-1), beta from x (odd u) and y (even u)",
                                 "GASKET (arXiv 1706.04552)",
                                 "sides up to 2^31",
                                 u64{1} << kGasketLevels,
                                 nullptr,
                                 false};
  using GasketBase::GasketBase;

  TRI_HD constexpr Launch launch(u32 pass) const {
    return {power_of_three((levels() + 1) / 2), static_cast<u32>(power_of_three(levels() / 2)), 1, pass};
  }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    // The sum of gasket_level() over all levels, one digit after another.
    CellTile sum;
    u32 wx = static_cast<u32>(p.x), wy = p.y;
    for (u32 u = 1; u <= levels(); u += 2) {
      const CellTile odd = gasket_step(wx % 3, u), even = gasket_step(wy % 3, u + 1);
      // A last odd level has no partner: wy is 0 by then, and so is its step.
      sum.x += odd.x + even.x;
      sum.y += odd.y + even.y;
      wx /= 3;
      wy /= 3;
    }
    return {sum, true};
  }

  /// nu, the inverse: the packed position of a tile of the gasket.
  TRI_HD constexpr Position position_of(CellTile tile) const {
    Position p;
    for (u32 u = levels(); u >= 1; --u) {
      const u32 digit = ((tile.x >> (u - 1)) & 1) + ((tile.y >> (u - 1)) & 1);
      if (u & 1) {
        p.x = p.x * 3 + digit;
      } else {
        p.y = p.y * 3 + digit;
      }
    }
    return p;
  }
};

}  // namespace tri
