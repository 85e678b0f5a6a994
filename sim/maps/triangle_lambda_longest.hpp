#pragma once
/// `lambda-longest`: the longest work first. A tile of the diagonal has half the pairs of another one, so all others
/// come first, in row order, and then the diagonal: when few blocks are left to run, they are the short ones.
///
///     side 4, with the diagonal         6
///       0..5: the strict triangle       0  7
///       6..9: the diagonal              1  2  8
///                                       3  4  5  9
///
///     w < T2(m-1): (i + 1, j) with (i, j) = lambda(w);   otherwise i = j = w - T2(m-1)
///
/// The last row comes last among the others, and its tiles are the partly filled ones where the side of a tile does not
/// divide n. The counter from which workers take the next tile is the hardware's: a GPU starts blocks in the order of
/// their position as others end.
///
/// Source: ours, after the rule of longest processing time first (Graham 1969). Launches: one, T2(m) x 1. None idle.
/// Exact for rows below 2^31. Without the diagonal all tiles are equal, and the map is lambda.

#include "triangle_base.hpp"

namespace tri {

class TriangleLambdaLongest {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;
  static constexpr MapInfo kInfo{"lambda-longest",
                                 Domain::triangle,
                                 Space::block,
                                 "the strict triangle by lambda, then the diagonal, whose tiles have half the pairs",
                                 "ours; rule of Graham 1969",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};

  TRI_HD constexpr TriangleLambdaLongest(u32 side, Diagonal diagonal)
      : side_(side), diagonal_(diagonal), strict_tiles_(triangular_before(side)) {}

  TRI_HD constexpr u32 side() const { return side_; }
  TRI_HD constexpr Diagonal diagonal() const { return diagonal_; }
  TRI_HD constexpr u64 tile_count() const { return strict_tiles_ + (diagonal_ == Diagonal::with ? side_ : 0); }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    if (p.x >= strict_tiles_) {
      const u32 i = static_cast<u32>(p.x - strict_tiles_);
      return {{i, i}, true};
    }
    const RowCol at = triangular_split(p.x);
    return {{at.row + 1, at.col}, true};
  }

 private:
  u32 side_;
  Diagonal diagonal_;
  u64 strict_tiles_;
};

}  // namespace tri
