#pragma once
/// `lambda`: the default. A one-dimensional grid with exactly as many blocks as the triangle has tiles; a block finds
/// its row by a square root and one integer repair.
///
///     w = x                      tiles of side 4 (omega)
///     i = floor(sqrt(2w + 1/4) - 1/2), repaired        0
///     j = w - i(i+1)/2                                 1  2
///                                                      3  4  5
///                                                      6  7  8  9
///
/// Source: the map of LTM III-A and TRI 4.1; the repair and the 64-bit seed are ours. The published float32 forms are
/// in triangle_lambda_historical.hpp; they are wrong from some two thousand rows on. Launches: one, T2(m) x 1. None
/// idle. Exact for rows below 2^31 with any of the seeds and any compiler flag.
///
/// Strict: (i + 1, j). (The papers print j = w - i(i+1)/2 for the strict i, which is wrong at every w; correct is
/// j = w - i(i-1)/2.)

#include "triangle_base.hpp"

namespace tri {

class TriangleLambda : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"lambda",
                                 Domain::triangle,
                                 Space::block,
                                 "i = floor(sqrt(2w + 1/4) - 1/2) with one integer repair, j = w - i(i+1)/2",
                                 "LTM III-A and TRI 4.1; repair ours",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};
  using TriangleBase::TriangleBase;

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const RowCol at = triangular_split(p.x);
    return found(at.row, at.col);
  }

  /// Position of a tile in the launch, the inverse of begin().
  TRI_HD constexpr u64 position_of(Tile2 tile) const { return triangular_of_row(tile.row - shift()) + tile.col; }
};

}  // namespace tri
