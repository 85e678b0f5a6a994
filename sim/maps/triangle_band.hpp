#pragma once
/// The tiles of causal attention where queries and keys differ in number or a window slides: a band of a rectangle of
/// rows x cols tiles, bounded by a diagonal and, `window` diagonals below it, by another. One block for each tile.
///
///     rows 5, cols 4, shift 1, window 3       number = launch position
///       0  1  .  .          tile (r, c) belongs to the band where
///       2  3  4  .            c <= r + shift  and  c > r + shift - window
///       .  5  6  7
///       .  .  8  9          shift = cols - rows aligns the last rows and columns (decoding behind a cache of keys),
///       .  .  . 10          0 the first ones; a window of kNoWindow leaves all that the diagonal allows
///
/// The number of tiles of a row grows by one a row, stays, and shrinks by one a row: a triangle, a rectangle and a
/// triangle upside down. A position finds its part by two comparisons and its row by a square root or a division, both
/// exact. triangle_attention.hpp makes one from the mask of a kernel. It is another domain than the triangle, so it has
/// no id and no entry in map_ids.hpp; the interface is that of a map, but for side(). Launches: one, as many positions
/// as tiles x 1. None idle. Exact for rows, cols and windows up to 2^31, and without a window for rows + shift up to
/// 2^31. Source: ours.

#include "figurate.hpp"
#include "map_concepts.hpp"

namespace tri {

/// A plain value, to be passed to a kernel; safe to share among threads.
class TriangleBand {
 public:
  using Tile = Tile2;
  using Cursor = OneTile<Tile2>;
  static constexpr u32 kNoWindow = 0x80000000u;

  /// rows, cols and window: tiles, at most 2^31. |shift| < 2^32. An empty band launches nothing.
  TRI_HD constexpr TriangleBand(u32 rows, u32 cols, i64 shift, u32 window = kNoWindow)
      : shift_(shift), window_(window), least_(window < cols ? window : cols), most_(window < cols ? cols : window) {
    const i64 last = i64{window} + cols - 1;  // diagonal columns r + shift of rows with a tile: 0 <= t < last
    const i64 begin = shift < 0 ? 0 : shift, end = shift + rows < last ? shift + rows : last;
    if (least_ == 0 || begin >= end) return;
    first_ = before(static_cast<u64>(begin));
    count_ = before(static_cast<u64>(end)) - first_;
  }

  TRI_HD constexpr u64 tile_count() const { return count_; }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {count_, 1, 1, pass}; }

  /// The position of a tile of the band, the inverse of begin().
  TRI_HD constexpr u64 position_of(Tile2 tile) const {
    const u64 t = static_cast<u64>(tile.row + shift_);
    return before(t) - first_ + (tile.col - lowest(t));
  }

  /// position.x < tile_count(); elsewhere the result is undefined.
  TRI_HD TRI_INLINE Cursor begin(Position position) const {
    u64 w = first_ + position.x;
    const u64 growing = triangular(least_), constant = u64{most_ - least_} * least_;
    if (w < growing) {
      const RowCol at = triangular_split(w);
      return found(at.row, at.col);
    }
    w -= growing;
    if (w < constant) {
      // Numbers of 32 bits are divided many times faster on a GPU.
      const u64 row = (w >> 32) == 0 ? static_cast<u32>(w) / least_ : w / least_;
      return found(least_ + row, w - row * least_);
    }
    const RowCol from_end = triangular_split(triangular_before(least_) - 1 - (w - constant));
    return found(u64{most_} + least_ - 2 - from_end.row, from_end.row - from_end.col);
  }

 private:
  /// Tiles on the diagonal columns below t of an endless band.
  TRI_HD constexpr u64 before(u64 t) const {
    if (t < least_) return triangular(t);
    if (t <= most_) return triangular(least_) + (t - least_) * least_;
    const u64 left = u64{most_} + least_ - 1 - t;  // rows of the triangle upside down from t on
    return triangular(least_) + u64{most_ - least_} * least_ + triangular_before(least_) - triangular(left);
  }

  /// t: the column of the diagonal in the row. k: which of the row's tiles.
  TRI_HD TRI_INLINE Cursor found(u64 t, u64 k) const {
    return {{static_cast<u32>(static_cast<i64>(t) - shift_), static_cast<u32>(lowest(t) + k)}, true};
  }
  TRI_HD constexpr u64 lowest(u64 t) const { return t < window_ ? 0 : t - window_ + 1; }

  i64 shift_;
  u64 first_ = 0, count_ = 0;
  u32 window_, least_, most_;
};

}  // namespace tri
