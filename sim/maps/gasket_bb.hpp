#pragma once
/// `bb`: the bounding box of the gasket. A square grid; blocks off the gasket exit at once.
///
///     grid 4 x 4 (omega = x + 4y), dots exit
///        0  .  .  .
///        4  5  .  .
///        8  . 10  .
///       12 13 14 15
///
/// Source: the baseline of GASKET. Launches: one, 2^rb x 2^rb. Idle: 4^rb - 3^rb positions, (4/3)^rb launched a tile.
/// Exact for sides up to 2^31.

#include "gasket_base.hpp"

namespace tri {

class GasketBb : public GasketBase {
 public:
  static constexpr MapInfo kInfo{"bb",
                                 Domain::gasket,
                                 Space::block,
                                 "(x, y) = position; leaves at once if x & (n-1-y) is not 0",
                                 "bounding box, the baseline of GASKET",
                                 "sides up to 2^31",
                                 u64{1} << kGasketLevels,
                                 nullptr,
                                 false};
  using GasketBase::GasketBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {side(), side(), 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u32 x = static_cast<u32>(p.x);
    return {{x, p.y}, in_gasket(x, p.y)};
  }
};

}  // namespace tri
