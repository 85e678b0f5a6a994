#pragma once
/// `lambda-lut`: the map of `lambda` read from a table in global memory, one (row, column) for each omega.
///
///     table   w:  0      1      2      3      4    ...        0
///                (0,0)  (1,0)  (1,1)  (2,0)  (2,1) ...        1  2
///                                                             3  4  5
///                                                             6  7  8  9
///
/// Source: LTM III-A, the lookup-table alternative. Launches: one, T2(m) x 1. None idle; the cost is memory, 8 T2(m)
/// bytes, and its bandwidth. Exact for sides below 2^31, as far as the table fits into memory.
///
/// The map does not own its table, which must stay alive and unchanged, in memory that begin() can read, while the map
/// is in use.

#include <vector>

#include "triangle_base.hpp"

namespace tri {

class TriangleLambdaLut : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"lambda-lut",
                                 Domain::triangle,
                                 Space::block,
                                 "(i, j) = table[w]",
                                 "LTM III-A",
                                 "rows below 2^31, as far as 4 m(m+1) bytes of table fit",
                                 kExactTriangleSide - 1,
                                 "lambda",
                                 false,
                                 [](u64 side) { return triangular(side) * sizeof(Tile2); }};

  /// The table of a side, in row order; without the diagonal it has one row less. Host only; throws std::bad_alloc.
  /// Calls look() after each row: it may throw.
  template <class Look>
  static std::vector<Tile2> make_table(u32 side, Diagonal diagonal, const Look& look) {
    const u32 rows = TriangleLambdaLut(side, diagonal, nullptr).rows();
    std::vector<Tile2> table;
    table.reserve(triangular(rows));
    for (u32 row = 0; row < rows; ++row) {
      for (u32 col = 0; col <= row; ++col) table.push_back({row, col});
      look();
    }
    return table;
  }
  static std::vector<Tile2> make_table(u32 side, Diagonal diagonal) {
    return make_table(side, diagonal, [] {});
  }

  /// table: [tile_count()] of make_table(side, diagonal), host or device memory.
  TRI_HD constexpr TriangleLambdaLut(u32 side, Diagonal diagonal, const Tile2* table)
      : TriangleBase(side, diagonal), table_(table) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const Tile2 at = table_[p.x];
    return found(at.row, at.col);
  }

 private:
  const Tile2* table_;
};

}  // namespace tri
