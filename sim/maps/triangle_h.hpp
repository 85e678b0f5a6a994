#pragma once
/// `h`: the recursive map in one launch, without roots and without division: the strict triangle of side 2^k is a
/// trapezoid of 2^k - 1 rows of positions, each of 2^(k-1).
///
///     side 4, strict: grid 2 x 3 (omega = x + 2y)        with the diagonal: two more rows of 2 positions
///       y1 = 1: 0 1     l = 0, squares of side 1           6
///       y1 = 2: 2 3     l = 1, squares of side 2           0  7
///       y1 = 3: 4 5                                        2  3  8
///                                                          4  5  1  9
///     y1 = y + 1, l = floor(log2 y1), q = x >> l: row = y1 + 2q 2^l, col = x + q 2^l
///
/// Any side m: for each set bit p of m from the highest down, with o the sum of the higher ones, the triangle of side p
/// at (o, o) and left of it the rectangle of p x o. m = 6 = 4 + 2:
///
///       a                  a: triangle of side 4 at (0, 0), 10 positions (strict: 6)
///       a  a               b: triangle of side 2 at (4, 4), 3 positions (strict: 1)
///       a  a  a            c: rectangle of 2 rows x 4 columns at (4, 0), 8 positions
///       a  a  a  a
///       c  c  c  c  b      the launch is a line of all of them: 10 + 3 + 8 = 21 = T2(6);
///       c  c  c  c  b  b   a position finds its part by popcount(m) prefix sums
///
/// Source: Navarro et al. 2022 (arXiv 2208.11617) for 2^k, the split by bits is ours. Launches: one, T2(m) x 1 (strict
/// m(m-1)/2). None idle. Exact for sides up to 2^31. Strict by nature: the diagonal is extra rows of each trapezoid.
/// The prefix sums are part of the map, so they lie in constant memory when a kernel takes it as an argument.

#include "triangle_base.hpp"

namespace tri {

/// Tile of the strict triangle of side 2^k (k >= 1) at (x, y) of its grid of 2^(k-1) x (2^k - 1).
TRI_HD TRI_INLINE RowCol h_trapezoid(u32 x, u32 y) {
  const u32 y1 = y + 1, l = floor_log2(y1), q = x >> l;
  return {y1 + ((2 * q) << l), x + (q << l)};
}

class TriangleH {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;
  static constexpr MapInfo kInfo{
      "h",
      Domain::triangle,
      Space::block,
      "y1 = y+1, l = floor(log2 y1), q = x >> l: (y1 + 2q 2^l, x + q 2^l); one part a set bit",
      "Navarro et al. 2022, any side ours",
      "rows below 2^31",
      kExactTriangleSide,
      nullptr,
      false};

  TRI_HD TriangleH(u32 side, Diagonal diagonal)
      : side_(side), strict_(static_cast<u32>(diagonal == Diagonal::without)) {
    u64 sum = 0;
    for (u32 rest = side; rest != 0;) {
      const u32 p = 1u << floor_log2(rest), offset = side - rest;
      first_[parts_++] = sum;
      sum += triangle_tiles(p) + u64{p} * offset;
      rest -= p;
    }
    narrow_ = sum >> 32 == 0;
    if (side < 2) return;
    head_log_ = floor_log2(side) - 1;
    head_ = triangular_of_row((2u << head_log_) - 1);
    if (head_ >> 32 != 0) head_ = 0;
  }

  TRI_HD constexpr u32 side() const { return side_; }
  TRI_HD constexpr Diagonal diagonal() const { return strict_ ? Diagonal::without : Diagonal::with; }
  TRI_HD constexpr u64 tile_count() const { return strict_ ? triangular_before(side_) : triangular_of_row(side_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  /// The branch is uniform, and worth it: a GPU has no 64-bit integer units.
  TRI_HD TRI_INLINE Cursor begin(Position position) const {
    // Most positions lie in the strict triangle of the largest part, whose constants are members.
    if (position.x < head_) {
      const u32 w = static_cast<u32>(position.x);
      const RowCol at = h_trapezoid(w & ((1u << head_log_) - 1), w >> head_log_);
      return {{at.row, at.col}, true};
    }
    return narrow_ ? locate<u32>(static_cast<u32>(position.x)) : locate<u64>(position.x);
  }

 private:
  /// Tiles of the triangle of side p = 2^k. The products fit Index when the whole triangle does.
  template <class Index = u64>
  TRI_HD constexpr Index triangle_tiles(u32 p) const {
    return p == 1 ? Index{1} - strict_ : Index{p / 2} * (Index{p} + 1 - 2 * strict_);
  }

  template <class Index>
  TRI_HD TRI_INLINE Cursor locate(Index position) const {
    u32 rest = side_;
    u32 k = floor_log2(rest), part = 0;
    while (part + 1 < parts_ && position >= static_cast<Index>(first_[part + 1])) {
      rest -= 1u << k;
      k = floor_log2(rest);
      ++part;
    }
    const u32 p = 1u << k, offset = side_ - rest;
    const Index w = position - static_cast<Index>(first_[part]);
    const Index tiles = triangle_tiles<Index>(p);
    if (w >= tiles) {
      const Index v = w - tiles;
      return {{offset + static_cast<u32>(v & (p - 1)), static_cast<u32>(v >> k)}, true};
    }
    const Index strict_tiles = Index{p / 2} * (p - 1);
    if (w >= strict_tiles) {
      const u32 i = offset + static_cast<u32>(w - strict_tiles);
      return {{i, i}, true};
    }
    // The grid is 2^(k-1) wide: quotient and remainder are a shift and a mask.
    const RowCol at = h_trapezoid(static_cast<u32>(w) & (p / 2 - 1), static_cast<u32>(w >> (k - 1)));
    return {{offset + at.row, offset + at.col}, true};
  }

  u32 side_;
  u32 strict_;
  u32 parts_ = 0;
  u32 head_log_ = 0;     ///< the first part has 2^head_log_ positions a row
  u64 head_ = 0;         ///< positions of the first part's strict triangle; 0 where they pass 32 bits
  bool narrow_ = false;  ///< all positions fit 32 bits
  u64 first_[32] = {};   ///< [parts_] positions before each part
};

}  // namespace tri
