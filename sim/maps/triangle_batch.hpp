#pragma once
/// A batch of triangles of different sides in one launch: many small problems of pairs, each of which alone would not
/// fill a GPU. A launch position is found in a table of prefix sums by binary search, and within its triangle by
/// lambda.
///
///     sides 2, 0, 3, 1 with the diagonal: prefix 0, 3, 3, 9, 10
///     problem 0    problem 2    problem 3       number = launch position
///       0            3            9
///       1  2         4  5
///                    6  7  8
///
/// It is another domain than one triangle, so it has no id and no entry in map_ids.hpp; the interface is that of a map,
/// but for side(). Launches: one, the sum of the T2(m_p) positions x 1. None idle. Exact for sides below 2^31 in every
/// problem, with at most 2^32 - 1 problems and 2^63 positions. Source: ours.

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "figurate.hpp"
#include "map_concepts.hpp"
#include "worker_share.hpp"

namespace tri {

/// A tile of one problem of a batch: row >= col in its triangle (strict: row > col).
struct BatchTile {
  u32 problem = 0;
  u32 row = 0;
  u32 col = 0;
  friend TRI_HD constexpr bool operator==(const BatchTile& a, const BatchTile& b) {
    return a.problem == b.problem && a.row == b.row && a.col == b.col;
  }
};

/// A plain value, to be passed to a kernel; safe to share among threads. The table is not its own.
class TriangleBatch {
 public:
  using Tile = BatchTile;
  using Cursor = OneTile<BatchTile>;

  /// The table of a batch: positions before each problem, and last those of all. sides: tiles a side of each problem, 0
  /// for an empty one, at most 2^31. Host only; throws std::length_error for more than 2^32 - 1 problems, a larger
  /// side, or 2^63 positions, and std::bad_alloc. A template, which a device's compiler, without exceptions, leaves
  /// alone.
  template <class Error = std::length_error>
  static std::vector<u64> make_table(std::span<const u32> sides, Diagonal diagonal) {
    if (sides.size() >= 0xffffffffu) throw Error("a batch of 2^32 - 1 problems or more");
    std::vector<u64> prefix;
    prefix.reserve(sides.size() + 1);
    u64 sum = 0;
    prefix.push_back(sum);
    for (const u32 side : sides) {
      if (side > kTriangularRootRows) throw Error("a problem of a batch with a side above 2^31");
      const u32 rows = side - static_cast<u32>(diagonal == Diagonal::without && side != 0);
      sum += triangular_of_row(rows);
      if (sum >> 63 != 0) throw Error("a batch of 2^63 positions or more");
      prefix.push_back(sum);
    }
    return prefix;
  }

  /// The numbers of the problems, the largest first: make_table() of the sides in this order lets the problems whose
  /// work takes longest begin first, and tile().problem is a place in it. Host only; throws std::bad_alloc.
  static std::vector<u32> longest_first(std::span<const u32> sides) {
    std::vector<u32> order;
    order.reserve(sides.size());
    for (u32 problem = 0; problem < sides.size(); ++problem) order.push_back(problem);
    const u32* const side = sides.data();
    std::sort(order.begin(), order.end(),
              [side](u32 a, u32 b) { return side[a] != side[b] ? side[a] > side[b] : a < b; });
    return order;
  }

  /// prefix: [problems + 1] of make_table(sides, diagonal), in host or device memory, wherever begin() runs. positions:
  /// its last entry, which a launch needs on the host.
  TRI_HD constexpr TriangleBatch(const u64* prefix, u32 problems, u64 positions, Diagonal diagonal)
      : prefix_(prefix),
        positions_(positions),
        problems_(problems),
        shift_(static_cast<u32>(diagonal == Diagonal::without)) {}

  TRI_HD constexpr u32 problems() const { return problems_; }
  TRI_HD constexpr Diagonal diagonal() const { return shift_ ? Diagonal::without : Diagonal::with; }
  TRI_HD constexpr u64 tile_count() const { return positions_; }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {positions_, 1, 1, pass}; }

  /// position.x < tile_count(); elsewhere the result is undefined. log2(problems) reads of the table.
  TRI_HD TRI_INLINE Cursor begin(Position position) const {
    const u32 problem = problem_of(position.x);
    const RowCol at = triangular_split(position.x - prefix_[problem]);
    return {{problem, at.row + shift_, at.col}, true};
  }

 protected:
  /// The last problem that begins at or before the position: not an empty one, which begins where the next does.
  TRI_HD TRI_INLINE u32 problem_of(u64 position) const {
    u32 low = 0, high = problems_;
    while (high - low > 1) {
      const u32 middle = low + (high - low) / 2;
      const bool before = prefix_[middle] <= position;
      low = before ? middle : low;
      high = before ? high : middle;
    }
    return low;
  }
  TRI_HD constexpr const u64* prefix() const { return prefix_; }
  TRI_HD constexpr u32 shift() const { return shift_; }

 private:
  const u64* prefix_;
  u64 positions_;
  u32 problems_;
  u32 shift_;
};

/// A run of tiles of a batch, through several problems.
class BatchRun {
 public:
  TRI_HD constexpr BatchRun(BatchTile at, u64 left, u64 in_problem, const u64* prefix, u32 shift)
      : at_(at), left_(left), in_problem_(in_problem), prefix_(prefix), shift_(shift) {}
  TRI_HD constexpr bool valid() const { return left_ != 0; }
  TRI_HD constexpr BatchTile tile() const { return {at_.problem, at_.row + shift_, at_.col}; }
  TRI_HD constexpr void next() {
    if (--left_ == 0) return;
    if (--in_problem_ == 0) {
      do {
        ++at_.problem;
        in_problem_ = prefix_[at_.problem + 1] - prefix_[at_.problem];
      } while (in_problem_ == 0);
      at_.row = at_.col = 0;
      return;
    }
    const bool row_ends = at_.col == at_.row;
    at_.row += static_cast<u32>(row_ends);
    at_.col = row_ends ? 0 : at_.col + 1;
  }

 private:
  BatchTile at_;    ///< of the full triangle
  u64 left_;        ///< tiles of the run
  u64 in_problem_;  ///< tiles of the problem from here on
  const u64* prefix_;
  u32 shift_;
};

/// The batch for persistent blocks: each has an equal number of tiles, whatever the sizes of the problems; one search a
/// run. Launches: one, min(workers, tiles) x 1.
class TriangleBatchStream : public TriangleBatch {
 public:
  using Cursor = BatchRun;

  /// As TriangleBatch. workers: blocks that the device holds at once; 0 counts as 1.
  TRI_HD constexpr TriangleBatchStream(const u64* prefix, u32 problems, u64 positions, Diagonal diagonal, u32 workers)
      : TriangleBatch(prefix, problems, positions, diagonal), workers_(worker_count(positions, workers)) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {workers_, 1, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position position) const {
    const Share run = share_of(tile_count(), workers_, position.x);
    const u32 problem = problem_of(run.first);
    const RowCol at = triangular_split(run.first - prefix()[problem]);
    return {{problem, at.row, at.col}, run.length, prefix()[problem + 1] - run.first, prefix(), shift()};
  }

 private:
  u32 workers_;
};

}  // namespace tri
