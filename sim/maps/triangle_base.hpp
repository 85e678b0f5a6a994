#pragma once
/// What all triangle maps share: the side, the diagonal, and how the strict triangle is had from the full one.
///
/// The strict triangle of side m (row > col) is the triangle with its diagonal of side m - 1, one row further down:
///
///     with the diagonal, side 3          without, side 4
///       0                                  .
///       1  2                               0  .
///       3  4  5                            1  2  .
///                                          3  4  5  .
///
/// So a map is written once for `rows()` rows and shifts the row by `shift()` = 0 or 1, a value of the launch and not
/// of the type: one kernel serves both. Side 1 without its diagonal has no tile: every map then launches zero
/// positions. Maps that are strict by nature (h, utm, utm-block, circulant) say so and do otherwise.
///
/// Positions given to begin() lie inside the map's launches; what begin() answers elsewhere is undefined.

#include "figurate.hpp"
#include "map_concepts.hpp"

namespace tri {

class TriangleBase {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;

  TRI_HD constexpr TriangleBase(u32 side, Diagonal diagonal)
      : rows_(side - static_cast<u32>(diagonal == Diagonal::without)),
        shift_(static_cast<u32>(diagonal == Diagonal::without)) {}

  TRI_HD constexpr u32 side() const { return rows_ + shift_; }
  TRI_HD constexpr Diagonal diagonal() const { return shift_ ? Diagonal::without : Diagonal::with; }
  TRI_HD constexpr u64 tile_count() const { return triangular_of_row(rows_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }

 protected:
  /// Rows of the equal triangle with its diagonal.
  TRI_HD constexpr u32 rows() const { return rows_; }
  TRI_HD constexpr u32 shift() const { return shift_; }
  TRI_HD constexpr Cursor found(u32 row, u32 col) const { return {{row + shift_, col}, true}; }
  TRI_HD static constexpr Cursor nothing() { return {}; }

 private:
  u32 rows_;
  u32 shift_;
};

/// Sides up to which the integer and the double-seeded maps are exact (rows below 2^31).
inline constexpr u64 kExactTriangleSide = kTriangularRootRows;

}  // namespace tri
