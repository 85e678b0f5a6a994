#pragma once
/// `utm` and `utm-block`: Avril's upper-triangular map, as published (thread by thread, float32) and exact (on blocks).
///
///     omega of the strict triangle of side 4, drawn as (row, col) = (b, a), a < b:
///       .
///       0  .             k runs along the rows of the *upper* triangle: (0,1), (0,2), (0,3), (1,2), (1,3), (2,3),
///       1  3  .          the condensed order of SciPy and R
///       2  4  5  .
///
/// Published, k from 0 and (a, b) from 1:
///     a = floor((-(2n+1) + sqrt(4n^2 - 4n - 8k + 1)) / -2),  b = (a+1) + k - (a-1)(2n-a)/2.
/// Exact, all from 0, by the map of the lower triangle read backwards:
///     M = n(n-1)/2 - 1 - k,  r = row(M),  a = n-2-r,  b = n-1-(M - T2(r)).
///
/// Source: Avril et al. 2012; the block form answers the question at the end of LTM V. Launches: one, n(n-1)/2 x 1,
/// none idle. utm is exact to n = 4097 (first wrong at 4098), utm-block for sides below 2^31. Both are strict by
/// nature: for the diagonal utm appends n positions (so its limit stays), and utm-block is the strict map of side + 1,
/// one row up.

#include "triangle_base.hpp"

namespace tri {

/// The published form, on elements. Every float32 operation is pinned, so host and device fail at the same n.
class TriangleUtm {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;
  static constexpr MapInfo kInfo{"utm",
                                 Domain::triangle,
                                 Space::thread,
                                 "a = floor((-(2n+1) + sqrt(4n^2-4n-8k+1)) / -2), b = a+1 + k - (a-1)(2n-a)/2",
                                 "Avril et al. 2012",
                                 "n = 4097 in float32",
                                 4097,
                                 "utm-block",
                                 true};

  TRI_HD constexpr TriangleUtm(u32 side, Diagonal diagonal) : side_(side), diagonal_(diagonal) {}

  TRI_HD constexpr u32 side() const { return side_; }
  TRI_HD constexpr Diagonal diagonal() const { return diagonal_; }
  TRI_HD constexpr u64 tile_count() const { return pairs() + (diagonal_ == Diagonal::with ? side_ : 0); }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    if (p.x >= pairs()) {
      const u32 i = static_cast<u32>(p.x - pairs());
      return {{i, i}, true};
    }
    const float n = static_cast<float>(side_), k = static_cast<float>(static_cast<u32>(p.x));
    // 4n^2 - 4n - 8k + 1 from left to right, one rounding per operation.
    float under = rounded::mul(rounded::mul(4.0f, n), n);
    under = rounded::add(under, -rounded::mul(4.0f, n));
    under = rounded::add(under, -rounded::mul(8.0f, k));
    under = rounded::add(under, 1.0f);
    const float numerator = rounded::add(-rounded::add(rounded::mul(2.0f, n), 1.0f), rounded::sqrt(under));
    const i64 a = static_cast<i64>(std::floor(rounded::mul(numerator, -0.5f)));
    const i64 b = a + 1 + static_cast<i64>(p.x) - (a - 1) * (2 * i64{side_} - a) / 2;
    return {{static_cast<u32>(b - 1), static_cast<u32>(a - 1)}, true};
  }

 private:
  TRI_HD constexpr u64 pairs() const { return triangular_before(side_); }

  u32 side_;
  Diagonal diagonal_;
};

/// The exact form, on blocks.
class TriangleUtmBlock : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"utm-block",
                                 Domain::triangle,
                                 Space::block,
                                 "M = m(m-1)/2-1-k, r = row(M): a = m-2-r, b = m-1-(M - r(r+1)/2)",
                                 "Avril et al. 2012 made exact, on blocks as LTM V asks",
                                 "rows below 2^31",
                                 kExactTriangleSide - 1,
                                 nullptr,
                                 false};

  TRI_HD constexpr TriangleUtmBlock(u32 side, Diagonal diagonal)
      : TriangleBase(side, diagonal), last_(tile_count() - 1) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    // The strict triangle of side n has n - 1 = rows() rows and T2(rows()) tiles, numbered backwards. With the diagonal
    // n is side + 1 and the result moves one row up. Either way row = b - 1 + shift().
    const RowCol back = triangular_split(last_ - p.x);
    return found(rows() - 1 - back.col, rows() - 1 - back.row);
  }

 private:
  u64 last_;  ///< the last position: the numbers run backwards from it
};

}  // namespace tri
