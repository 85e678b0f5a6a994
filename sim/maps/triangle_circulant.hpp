#pragma once
/// `circulant`: pairs of tiles by their distance d round a ring, (i, (i + d) mod m). Every row of tiles occurs equally
/// often, so a run of positions spreads its sums evenly over the bodies.
///
///     m = 4, omega = x + 2y, d in {0, 1, 2}         m = 3: omega = x + 3y
///       0                                             0
///       4  1               (i, j) becomes             3  1
///       8  5  2            row = max, col = min       5  4  2
///       7  9  6  3
///
/// d = 0 is the diagonal, d = 1..floor(m/2) the rest; for even m only half of the last d is new. So that no position is
/// idle, the rows of positions are half as wide for even m: y = 2d + h, i = x + h m/2, and d = m/2 has h = 0 only.
///
/// Source: ours, for forces. Launches: one, m x (m+1)/2 (odd) or m/2 x (m+1) (even), without the diagonal one and two
/// rows of positions less. None idle. Exact for sides up to 2^31. Strict by nature: the diagonal is the distance 0.

#include "triangle_base.hpp"

namespace tri {

class TriangleCirculant {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;
  static constexpr MapInfo kInfo{"circulant",
                                 Domain::triangle,
                                 Space::block,
                                 "(i, (i+d) mod m), d = 0..floor(m/2), half of the last d when m is even",
                                 "ours, for forces",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};

  TRI_HD constexpr TriangleCirculant(u32 side, Diagonal diagonal)
      : side_(side), first_(static_cast<u32>(diagonal == Diagonal::without)) {}

  TRI_HD constexpr u32 side() const { return side_; }
  TRI_HD constexpr Diagonal diagonal() const { return first_ ? Diagonal::without : Diagonal::with; }
  TRI_HD constexpr u64 tile_count() const { return first_ ? triangular_before(side_) : triangular_of_row(side_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const {
    if (side_ == 0) return {0, 1, 1, pass};
    const u32 columns = even() ? side_ / 2 : side_;
    const u32 lines = even() ? side_ + 1 - 2 * first_ : side_ / 2 + 1 - first_;
    return {lines == 0 ? 0 : u64{columns}, lines, 1, pass};
  }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u32 half = static_cast<u32>(even());
    const u32 d = (p.y >> half) + first_;
    const u32 i = static_cast<u32>(p.x) + (half & p.y) * (side_ / 2);
    const u32 wrapped = i + d;
    const u32 j = wrapped >= side_ ? wrapped - side_ : wrapped;
    return {{i > j ? i : j, i > j ? j : i}, true};
  }

 private:
  TRI_HD constexpr bool even() const { return (side_ & 1) == 0; }

  u32 side_;
  u32 first_;  ///< smallest distance: 0 with the diagonal, 1 without
};

}  // namespace tri
