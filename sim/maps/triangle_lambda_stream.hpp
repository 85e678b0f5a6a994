#pragma once
/// `lambda-stream`: a persistent grid. As many blocks as the device holds at once, each with a contiguous run of
/// omega: one root at the start of the run, then steps of integers.
///
///     3 workers, side 4: runs of 4, 3, 3          0
///                                                 0  0          next: (i, j+1), at the end of a row (i+1, 0)
///       number in the cell = worker               0  1  1
///                                                 1  2  2  2
///
/// Source: ours. Launches: one, min(workers, T2(m)) x 1, where workers is multiprocessors x resident blocks (host:
/// threads). No waste; both the root and the launch of a block are paid once a run. Exact for rows below 2^31.

#include "triangle_base.hpp"

namespace tri {

/// A run of `left` tiles from `at` on, in row order. The count is 32-bit: a kernel that does little else a tile would
/// pay for a wide one.
class TriangleRun {
 public:
  TRI_HD constexpr TriangleRun(RowCol at, u32 left, u32 shift) : at_(at), shift_(shift), left_(left) {}
  TRI_HD constexpr bool valid() const { return left_ != 0; }
  TRI_HD constexpr Tile2 tile() const { return {at_.row + shift_, at_.col}; }
  TRI_HD constexpr void next() {
    const bool row_ends = at_.col == at_.row;
    at_.row += static_cast<u32>(row_ends);
    at_.col = row_ends ? 0 : at_.col + 1;
    --left_;
  }

 private:
  RowCol at_;
  u32 shift_;
  u32 left_;
};

/// The share of worker `index` in `count` items: [first, first + length), lengths differ by at most one.
struct Share {
  u64 first = 0;
  u64 length = 0;
};
TRI_HD constexpr Share share_of(u64 count, u64 workers, u64 index) {
  const u64 base = count / workers, extra = count % workers;
  return {index * base + (index < extra ? index : extra), base + (index < extra ? 1 : 0)};
}

class TriangleLambdaStream : public TriangleBase {
 public:
  using Cursor = TriangleRun;
  static constexpr MapInfo kInfo{"lambda-stream",
                                 Domain::triangle,
                                 Space::block,
                                 "a run of w a block: one root, then (i, j+1) or (i+1, 0)",
                                 "ours",
                                 "rows below 2^31",
                                 kExactTriangleSide,
                                 nullptr,
                                 false};

  /// workers: positions to launch; 0 counts as 1, more than there are tiles as one a tile, and fewer than keep each run
  /// below 2^32 tiles as just that many.
  TRI_HD constexpr TriangleLambdaStream(u32 side, Diagonal diagonal, u32 workers)
      : TriangleBase(side, diagonal), workers_(workers == 0 ? 1 : workers) {
    constexpr u64 kLongest = 0xffffffffu;
    const u64 least = tile_count() / kLongest + (tile_count() % kLongest != 0 ? 1 : 0);
    if (workers_ < least) workers_ = static_cast<u32>(least);
    if (workers_ > tile_count()) workers_ = static_cast<u32>(tile_count());
  }

  TRI_HD constexpr Launch launch(u32 pass) const { return {workers_, 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const Share share = share_of(tile_count(), workers_, p.x);
    return {triangular_split(share.first), static_cast<u32>(share.length), shift()};
  }

 private:
  u32 workers_;
};

}  // namespace tri
