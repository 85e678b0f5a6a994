#pragma once
/// What all triangle maps share: the side, the diagonal, and how the strict triangle follows from the full one.
///
/// The strict triangle of side m (row > col) is the full triangle of side m - 1, moved down by one row:
///
///     with the diagonal, side 3          without, side 4
///       0                                  .
///       1  2                               0  .
///       3  4  5                            1  2  .
///                                          3  4  5  .
///
/// So a map is written once, for `rows()` rows, and adds `shift()` = 0 or 1 to the row. That is a value and not part of
/// the type: one kernel serves both. Side 0, and side 1 without its diagonal, have no tile, and every map then launches
/// zero positions. The headers of the maps that are strict by nature (h, utm, utm-block, circulant) say how these add
/// the diagonal.
///
/// Positions given to begin() must lie inside the map's launches; elsewhere its result is undefined.

#include "figurate.hpp"
#include "map_concepts.hpp"

namespace tri {

class TriangleBase {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;

  TRI_HD constexpr TriangleBase(u32 side, Diagonal diagonal)
      : rows_(side - static_cast<u32>(diagonal == Diagonal::without && side != 0)),
        shift_(diagonal == Diagonal::with ? 0
               : side != 0                ? 1
                                          : kStrictNothing) {}

  TRI_HD constexpr u32 side() const { return shift_ == kStrictNothing ? 0 : rows_ + shift_; }
  TRI_HD constexpr Diagonal diagonal() const { return shift_ ? Diagonal::without : Diagonal::with; }
  TRI_HD constexpr u64 tile_count() const { return triangular_of_row(rows_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }

 protected:
  /// Rows of the full triangle with as many tiles.
  TRI_HD constexpr u32 rows() const { return rows_; }
  TRI_HD constexpr u32 shift() const { return shift_; }
  TRI_HD constexpr Cursor found(u32 row, u32 col) const { return {{row + shift_, col}, true}; }
  TRI_HD static constexpr Cursor nothing() { return {}; }

 private:
  /// The shift of the strict triangle of side 0, which nobody adds to a row.
  static constexpr u32 kStrictNothing = 2;

  u32 rows_;
  u32 shift_;
};

/// Largest side to which maps in integers or with a float64 seed are exact (rows below 2^31).
inline constexpr u64 kExactTriangleSide = kTriangularRootRows;

}  // namespace tri
