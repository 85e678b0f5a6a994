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
/// threads). None idle; the root and the launch of a block are paid once a run. Exact for rows below 2^31.

#include "triangle_base.hpp"
#include "worker_share.hpp"

namespace tri {

/// A run of `left` tiles from `at` on, in row order. The count has 32 bits, because a kernel that does little more than
/// count would pay for 64.
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

  /// workers: positions to launch; worker_count() says how many there are in the end. Runs are below 2^32 tiles.
  TRI_HD constexpr TriangleLambdaStream(u32 side, Diagonal diagonal, u32 workers)
      : TriangleBase(side, diagonal), workers_(worker_count(tile_count(), workers, 0xffffffffu)) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {workers_, 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const Share share = share_of(tile_count(), workers_, p.x);
    return {triangular_split(share.first), static_cast<u32>(share.length), shift()};
  }

 private:
  u32 workers_;
};

}  // namespace tri
