#pragma once
/// `gasket-stream`: a persistent grid. As many blocks as the device holds at once, each with a contiguous run of the
/// linear omega of `gasket-digits`: it reads the digits once, at the start of the run, and reaches each next tile by
/// counting in base 3 on the bits of x and y.
///
///     3 workers, side 4: runs of 3            digit 0: x 0, y 0    1: x 0, y 1    2: x 1, y 1
///       0  .  .  .
///       0  0  .  .      next: trailing digits 2 become 0 (the trailing ones of x are cleared in x and y),
///       1  .  2  .            and the digit before them increases by one
///       1  1  2  2
///
/// Source: ours. Launches: one, min(workers, 3^rb) x 1, where workers is multiprocessors x resident blocks (host:
/// threads). None idle; the map and the launch of a block are paid once a run. Exact for sides up to 2^31.

#include "gasket_base.hpp"
#include "worker_share.hpp"

namespace tri {

/// The tile after `at` in the order of omega; after the last one, the first.
TRI_HD constexpr CellTile next_gasket_tile(CellTile at) {
  const u32 ones = (at.x ^ (at.x + 1)) >> 1;  // the trailing ones of x: digits 2
  const u32 bit = ones + 1;
  at.x &= ~ones;
  at.y &= ~ones;
  const bool had_one = (at.y & bit) != 0;
  at.x |= had_one ? bit : 0;
  at.y |= bit;
  return at;
}

/// A run of `left` tiles from `at` on.
class GasketRun {
 public:
  TRI_HD constexpr GasketRun(CellTile at, u32 left) : at_(at), left_(left) {}
  TRI_HD constexpr bool valid() const { return left_ != 0; }
  TRI_HD constexpr CellTile tile() const { return at_; }
  TRI_HD constexpr void next() {
    at_ = next_gasket_tile(at_);
    --left_;
  }

 private:
  CellTile at_;
  u32 left_;
};

class GasketStream : public GasketBase {
 public:
  using Cursor = GasketRun;
  static constexpr MapInfo kInfo{"gasket-stream",
                                 Domain::gasket,
                                 Space::block,
                                 "a run of w a block: its digits once, then counting in base 3 on x and y",
                                 "ours",
                                 "sides up to 2^31",
                                 u64{1} << kGasketLevels,
                                 nullptr,
                                 false};

  /// workers: as for TriangleLambdaStream.
  TRI_HD constexpr GasketStream(u32 levels, u32 workers)
      : GasketBase(levels), workers_(worker_count(tile_count(), workers, 0xffffffffu)) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {workers_, 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const Share share = share_of(tile_count(), workers_, p.x);
    CellTile at;
    u64 w = share.first;
    for (u32 level = 0; w != 0; ++level, w /= 3) {
      const u32 digit = static_cast<u32>(w % 3);
      at.x |= (digit >> 1) << level;
      at.y |= ((digit + 1) >> 1) << level;
    }
    return {at, static_cast<u32>(share.length)};
  }

 private:
  u32 workers_;
};

}  // namespace tri
