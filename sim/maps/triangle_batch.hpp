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

#include <span>
#include <stdexcept>
#include <vector>

#include "figurate.hpp"
#include "map_concepts.hpp"

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
    // The last problem that begins at or before the position is not empty: an empty one begins where the next does.
    u32 low = 0, high = problems_;
    while (high - low > 1) {
      const u32 middle = low + (high - low) / 2;
      const bool before = prefix_[middle] <= position.x;
      low = before ? middle : low;
      high = before ? high : middle;
    }
    const RowCol at = triangular_split(position.x - prefix_[low]);
    return {{low, at.row + shift_, at.col}, true};
  }

 private:
  const u64* prefix_;
  u64 positions_;
  u32 problems_;
  u32 shift_;
};

}  // namespace tri
