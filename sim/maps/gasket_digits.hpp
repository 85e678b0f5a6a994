#pragma once
/// `gasket-digits`: the same map as `gasket` from a linear omega. In base 3 its digit b at level u sets bit u-1 of x to
/// b >> 1 and of y to (b + 1) >> 1. A table of 243 entries covers five levels a lookup.
///
///     omega = 0..8                    table[w mod 243] = x bits | y bits << 5
///       0  .  .  .
///       1  2  .  .                    omega   0    1    2    3    4    5    6    7    8
///       3  .  6  .                    x, y   0,0  0,1  1,1  0,2  0,3  1,3  2,2  2,3  3,3
///       4  5  7  8
///
/// Source: ours; answers GASKET's question for O(1) work a cell with 486 bytes of table (one lookup to n = 32, two to
/// n = 1024, four to n = 2^20). Launches: one, 3^rb x 1. None idle. Exact for sides up to 2^31.
/// The table is part of the map, so it lies in constant memory when a kernel takes the map as an argument.

#include "gasket_base.hpp"

namespace tri {

class GasketDigits : public GasketBase {
 public:
  static constexpr MapInfo kInfo{"gasket-digits",
                                 Domain::gasket,
                                 Space::block,
                                 "base-3 digits of w, five a lookup in a table of 243",
                                 "ours, for GASKET's question of O(1)",
                                 "sides up to 2^31",
                                 u64{1} << kGasketLevels,
                                 nullptr,
                                 false};

  TRI_HD constexpr explicit GasketDigits(u32 levels) : GasketBase(levels) {
    for (u32 w = 0; w < kEntries; ++w) table_[w] = entry(w);
  }

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    CellTile sum;
    u64 w = p.x;
    for (u32 level = 0; level < levels(); level += kDigits) {
      const u32 bits = table_[w % kEntries];
      sum.x |= (bits & kMask) << level;
      sum.y |= (bits >> kDigits) << level;
      w /= kEntries;
    }
    return {sum, true};
  }

  /// The linear omega of a tile of the gasket.
  TRI_HD constexpr u64 position_of(CellTile tile) const {
    u64 w = 0;
    for (u32 u = levels(); u >= 1; --u) w = w * 3 + ((tile.x >> (u - 1)) & 1) + ((tile.y >> (u - 1)) & 1);
    return w;
  }

 private:
  static constexpr u32 kDigits = 5;
  static constexpr u32 kEntries = 243;
  static constexpr u32 kMask = (1u << kDigits) - 1;

  TRI_HD static constexpr std::uint16_t entry(u32 w) {
    u32 x = 0, y = 0;
    for (u32 level = 0; level < kDigits; ++level, w /= 3) {
      x |= ((w % 3) >> 1) << level;
      y |= ((w % 3 + 1) >> 1) << level;
    }
    return static_cast<std::uint16_t>(x | y << kDigits);
  }

  std::uint16_t table_[kEntries] = {};
};

}  // namespace tri
