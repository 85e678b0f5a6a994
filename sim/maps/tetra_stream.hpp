#pragma once
/// `tetra-stream`: a persistent grid. Each worker takes a contiguous run of omega: one root at its start, then integer
/// steps (x + 1), at the end of a row (0, y + 1), at the end of a layer (0, 0, z + 1).
///
///     3 workers, side 4: runs of 7, 7, 6 (number = worker)
///     layer 0   layer 1   layer 2     layer 3
///       0         0         0           1
///                 0  0      0  0        1  1
///                           1  1  1     1  2  2
///                                       2  2  2  2
///
/// Source: ours. Launches: one, min(workers, T3(m)) x 1. None idle. Exact for layers below 2,642,244.

#include "tetra_exact.hpp"
#include "worker_share.hpp"

namespace tri {

/// A run of `left` tiles from `at` on, in layer order.
class TetraRun {
 public:
  TRI_HD constexpr TetraRun(TetraPlace at, u64 left, u32 shift) : at_(at), shift_(shift), left_(left) {}
  /// The run of one tile, or of none: one cursor for every map.
  TRI_HD constexpr TetraRun(const OneTile<Tile3>& one)
      : at_{one.at.x, one.at.y, one.at.z}, shift_(0), left_(one.inside ? 1 : 0) {}
  TRI_HD constexpr bool valid() const { return left_ != 0; }
  TRI_HD constexpr Tile3 tile() const { return {at_.x, at_.y + shift_, at_.z + 2 * shift_}; }
  TRI_HD constexpr void next() {
    const bool row_ends = at_.x == at_.y;
    const bool layer_ends = row_ends && at_.y == at_.z;
    at_.z += static_cast<u32>(layer_ends);
    at_.y = layer_ends ? 0 : at_.y + static_cast<u32>(row_ends);
    at_.x = row_ends ? 0 : at_.x + 1;
    --left_;
  }
  /// Tiles from this one to the end of its row, or of the run.
  TRI_HD constexpr u32 row_left() const {
    const u32 row = at_.y - at_.x + 1;
    return left_ < row ? static_cast<u32>(left_) : row;
  }
  /// Skips those tiles: the same as row_left() calls of next().
  TRI_HD constexpr void next_row() {
    const u32 count = row_left();
    at_.x += count - 1;
    left_ -= count - 1;
    next();
  }

 private:
  TetraPlace at_;
  u32 shift_;
  u64 left_;
};

class TetraStream : public TetraBase {
 public:
  using Cursor = TetraRun;
  static constexpr MapInfo kInfo{"tetra-stream",
                                 Domain::tetrahedron,
                                 Space::block,
                                 "a run of w a block: one root, then steps of (x, y, z)",
                                 "ours",
                                 "layers below 2,642,244",
                                 kExactTetraSide,
                                 nullptr,
                                 false};

  /// workers: positions to launch; worker_count() says how many there are in the end.
  TRI_HD constexpr TetraStream(u32 side, Diagonal diagonal, u32 workers)
      : TetraBase(side, diagonal), workers_(worker_count(tile_count(), workers)) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {workers_, 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const Share share = share_of(tile_count(), workers_, p.x);
    return {tetrahedral_split(share.first), share.length, shift()};
  }

 private:
  u32 workers_;
};

}  // namespace tri
