#pragma once
/// `lambda-grouped`: the tiles in square groups of G x G, so that blocks which run at the same time share rows and
/// columns in the L2 cache. Groups follow each other row by row, and so do the tiles of a group:
///
///     G = 2, side 6 (omega)             G = 2, side 5: the last band is one row
///       0
///       1  2                              0
///       3  4  7                           1  2
///       5  6  8  9                        3  4  7
///      10 11 14 15 18                     5  6  8  9
///      12 13 16 17 19 20                 10 11 12 13 14
///
///     I = row(w) / G,  v = w - T2(G I);  v < h G I: group J = v / (h G), then row and column in it;
///     otherwise lambda(v - h G I) in the triangle of the diagonal.   h: rows of band I, G but for the last
///
/// A band holds the positions that its rows have in row order, so the root of lambda finds it. With G = 16 and 512
/// rows, 256 blocks one after the other touch 47 rows and columns of tiles on average, and 236 in row order.
///
/// Source: ours. Launches: one, T2(m) x 1. None idle. Exact for rows below 2^31.

#include "triangle_base.hpp"

namespace tri {

/// G = 2^kLog tiles.
template <u32 kLog>
class TriangleGroupedBy : public TriangleBase {
 public:
  static constexpr u32 kGroup = 1u << kLog;
  static constexpr MapInfo kInfo{"lambda-grouped",
                                 Domain::triangle,
                                 Space::block,
                                 "lambda's row picks a band of 16 rows, its tiles in groups of 16 x 16",
                                 "ours, for the L2 cache",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};
  using TriangleBase::TriangleBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u32 first = triangular_root(p.x) >> kLog << kLog;  // of the band's rows
    const u64 v = p.x - triangular_of_row(first);
    const u32 height = rows() - first < kGroup ? rows() - first : kGroup;
    const u64 squares = u64{height} * first;
    if (v >= squares) {
      const RowCol at = triangular_split(v - squares);
      return found(first + at.row, first + at.col);
    }
    const u32 line = static_cast<u32>(v >> kLog), column = static_cast<u32>(v) & (kGroup - 1);
    const u32 group = height == kGroup ? line >> kLog : line / height;
    return found(first + (line - group * height), (group << kLog) + column);
  }
};

using TriangleLambdaGrouped = TriangleGroupedBy<4>;

}  // namespace tri
