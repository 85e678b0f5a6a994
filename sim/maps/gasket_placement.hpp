#pragma once
/// How the threads of one block find the cells of its tile of the gasket: the three placements of GASKET III-D, and one
/// for whole sectors of memory.
/// A tile of side rho = 2^q, wherever it lies, contains the gasket of q levels: cell (x, y) of the tile belongs when
/// (x & (rho-1-y)) == 0.
///
///     rho = 4, number = thread            subbox: 16 threads             lut, unroll: 9 threads
///                                           0  -  -  -                     0  .  .  .
///       - idle threads                      4  5  -  -                     1  2  .  .
///                                           8  - 10  -                     3  .  6  .
///                                          12 13 14 15                     4  5  7  8
///
/// subbox: bounding box and bit test, no memory. lut: a table of 3^q offsets, shared by the block. unroll: the map by
/// digits, no memory and no idle thread. Threads a cell: subbox (4/3)^q (2.37 for 8 x 8, 3.16 for 16 x 16, 4.21 for
/// 32 x 32), the others 1.

#include <vector>

#include "gasket_base.hpp"
#include "map_ids.hpp"

namespace tri {

class GasketSubbox {
 public:
  /// q: log2 of the block side, <= 15.
  TRI_HD constexpr explicit GasketSubbox(u32 q) : q_(q) {}
  TRI_HD constexpr u32 threads() const { return 1u << (2 * q_); }
  /// The cell of a thread inside its tile, if it has one.
  TRI_HD constexpr OneTile<CellTile> cell(u32 thread) const {
    const u32 x = thread & ((1u << q_) - 1), y = thread >> q_;
    return {{x, y}, in_gasket(x, y)};
  }

 private:
  u32 q_;
};

class GasketUnroll {
 public:
  TRI_HD constexpr explicit GasketUnroll(u32 q) : q_(q) {}
  TRI_HD constexpr u32 threads() const { return static_cast<u32>(power_of_three(q_)); }
  TRI_HD constexpr OneTile<CellTile> cell(u32 thread) const {
    CellTile at;
    for (u32 level = 0; level < q_; ++level, thread /= 3) {
      const u32 digit = thread % 3;
      at.x |= (digit >> 1) << level;
      at.y |= ((digit + 1) >> 1) << level;
    }
    return {at, true};
  }

 private:
  u32 q_;
};

/// Does not own its table: [3^q] of make_gasket_offsets(q), x in the low half of a word and y in the high half.
class GasketOffsetLut {
 public:
  TRI_HD constexpr GasketOffsetLut(u32 q, const u32* table) : q_(q), table_(table) {}
  TRI_HD constexpr u32 threads() const { return static_cast<u32>(power_of_three(q_)); }
  TRI_HD constexpr OneTile<CellTile> cell(u32 thread) const {
    const u32 packed = table_[thread];
    return {{packed & 0xffffu, packed >> 16}, true};
  }

 private:
  u32 q_;
  const u32* table_;
};

/// Host only; throws std::bad_alloc.
inline std::vector<u32> make_gasket_offsets(u32 q) {
  const GasketUnroll cells(q);
  std::vector<u32> table(cells.threads());
  for (u32 t = 0; t < cells.threads(); ++t) {
    const CellTile at = cells.cell(t).tile();
    table[t] = at.x | at.y << 16;
  }
  return table;
}

/// `sectors`: writes whole sectors of 32 bytes, two threads of 16 bytes each: 1 in the cells, and between them the 0
/// that embedded storage holds where there is no cell. A device writes whole sectors several times as fast as single
/// bytes. Tiles of 32 cells a side and 64 threads, one byte a cell, on an aligned grid.
class GasketSectors {
 public:
  static constexpr u32 kSide = 32;
  static constexpr u32 kThreads = 64;
  /// Column and row of a thread's 16 bytes within the tile.
  TRI_HD static constexpr CellTile corner(u32 thread) { return {thread % 2 * 16, thread / 2}; }
  /// Bytes 4 word to 4 word + 3 of these 16, the first in the lowest bits.
  TRI_HD static constexpr u32 bytes(u32 thread, u32 word) {
    const CellTile at = corner(thread);
    u32 value = 0;
    for (u32 b = 0; b < 4; ++b) value |= (in_gasket(at.x + 4 * word + b, at.y) ? 1u : 0u) << (8 * b);
    return value;
  }
};

/// Calls f(placement) with its own type; the table lives for the call. Does nothing for `sectors`, whose threads have
/// no cells of their own.
template <class F>
void visit_gasket_placement(GasketPlacement placement, u32 q, F&& f) {
  switch (placement) {
    case GasketPlacement::subbox:
      return f(GasketSubbox(q));
    case GasketPlacement::unroll:
      return f(GasketUnroll(q));
    case GasketPlacement::lut: {
      const std::vector<u32> table = make_gasket_offsets(q);
      return f(GasketOffsetLut(q, table.data()));
    }
    case GasketPlacement::sectors:
      break;
  }
}

}  // namespace tri
