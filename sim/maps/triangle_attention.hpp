#pragma once
/// The row tiles of masked attention, longest first: one position for each tile of queries of each head of each
/// sequence, with the range of key tiles that it loops over. Queries and keys may differ in number, as their tiles may
/// in side; the mask is a band: causal, a sliding window, or both.
///
///     10 queries, 7 keys, tiles of 2 x 2, causal        length of its loop = key tiles that a row meets
///       .  .  .  .   row 0: 0 tiles   position 4        a mask of `queries` x `keys` is aligned at the last of both:
///       #  .  .  .   row 1: 1         position 3        query r sees key c where c <= r + keys - queries, so the first
///       #  #  .  .   row 2: 2         position 2        queries of a short context see nothing, and their rows, which
///       #  #  #  .   row 3: 3         position 1        must be written all the same, come last
///       #  #  #  #   row 4: 4         position 0
///
/// A row's length grows from the first row, stays, and shrinks to the last one. Positions take the rows that stay, then
/// the ends by turns, so that no row is longer than one before it (where the sides of the tiles differ: by more than
/// two). Heads are taken in sections whose keys and values fit into a cache together. All by integers: a few divisions
/// a block, no table, for up to 2^31 queries and keys.
///
/// A batch of sequences of different lengths has a table instead, with one entry for each of its row tiles, sorted over
/// all of them. It is another domain than the triangle, so it has no id and no entry in map_ids.hpp; the interface is
/// that of a map, but for side(). Source: ours; the rule of longest processing time first (Graham 1969).

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "triangle_band.hpp"

namespace tri {

namespace detail {

/// floor(a / b) for |a| < 2^34. Numbers of 32 bits are divided many times faster on a GPU.
TRI_HD constexpr i64 floor_divided(i64 a, u32 b) {
  const u64 size = static_cast<u64>(a < 0 ? -1 - a : a);
  const u64 part = (size >> 32) == 0 ? static_cast<u32>(size) / b : size / b;
  return a < 0 ? -1 - static_cast<i64>(part) : static_cast<i64>(part);
}
TRI_HD constexpr i64 clamped(i64 a, i64 low, i64 high) { return a < low ? low : a > high ? high : a; }

}  // namespace detail

/// Which keys a query sees: key c of query r where low <= c - r <= high, in elements. A plain value.
struct AttentionMask {
  u32 queries = 0, keys = 0;  ///< at most 2^31
  i64 low = 0, high = 0;

  /// The last query is aligned with the last key, and sees `left` keys before that and `right` after it; negative: all.
  TRI_HD static constexpr AttentionMask windowed(u32 queries, u32 keys, i64 left, i64 right) {
    constexpr i64 kFar = i64{1} << 32;
    const i64 shift = i64{keys} - queries;
    return {queries, keys, left < 0 || left > kFar ? -kFar : shift - left,
            right < 0 || right > kFar ? kFar : shift + right};
  }
  TRI_HD static constexpr AttentionMask causal(u32 queries, u32 keys) { return windowed(queries, keys, -1, 0); }

  /// Queries and keys with their parts exchanged: what the backward pass loops over, a tile of keys at a time.
  TRI_HD constexpr AttentionMask transposed() const { return {keys, queries, -high, -low}; }
  TRI_HD constexpr bool holds(u32 query, u32 key) const {
    const i64 d = i64{key} - query;
    return query < queries && key < keys && low <= d && d <= high;
  }
};

/// The loop of one row tile: key tiles [first, end), of which [whole, whole_end) need no mask.
struct AttentionRow {
  u32 row = 0, head = 0, sequence = 0;
  u32 first = 0, end = 0;
  u32 whole = 0, whole_end = 0;
  TRI_HD constexpr u32 length() const { return end - first; }
};

/// The rows of one mask in tiles of a side for queries and one for keys.
class AttentionTiling {
 public:
  /// tile_queries, tile_keys: at least 1, at most 2^31.
  TRI_HD constexpr AttentionTiling(AttentionMask mask, u32 tile_queries, u32 tile_keys)
      : mask_(mask),
        tile_queries_(tile_queries),
        tile_keys_(tile_keys),
        rows_(tiles(mask.queries, tile_queries)),
        cols_(tiles(mask.keys, tile_keys)) {
    constexpr i64 kFar = i64{1} << 32;  // beyond every c - r, and no sum of it overflows
    mask_.low = detail::clamped(mask.low, -kFar, kFar);
    mask_.high = detail::clamped(mask.high, -kFar, kFar);
  }

  TRI_HD constexpr u32 rows() const { return rows_; }
  TRI_HD constexpr u32 cols() const { return cols_; }

  /// The key tiles of a row; an empty range where its queries see no key.
  TRI_HD constexpr AttentionRow row(u32 row) const {
    AttentionRow out;
    out.row = row;
    const i64 top = i64{row} * tile_queries_, last = last_query(row);
    const i64 lowest = top + mask_.low, highest = last + mask_.high;
    if (mask_.low > mask_.high || lowest >= i64{mask_.keys} || highest < 0) return out;
    const i64 first = detail::clamped(detail::floor_divided(lowest, tile_keys_), 0, cols_);
    const i64 end = detail::clamped(detail::floor_divided(highest, tile_keys_) + 1, first, cols_);
    const i64 whole = detail::floor_divided(last + mask_.low + tile_keys_ - 1, tile_keys_);
    const i64 whole_end = detail::floor_divided(top + mask_.high + 1, tile_keys_);
    out.first = static_cast<u32>(first), out.end = static_cast<u32>(end);
    out.whole = static_cast<u32>(detail::clamped(whole, first, end));
    const i64 full = mask_.keys / tile_keys_;
    out.whole_end = static_cast<u32>(detail::clamped(whole_end < full ? whole_end : full, out.whole, end));
    if (out.whole_end == out.whole) out.whole = out.whole_end = out.end;
    return out;
  }

  /// The first row whose range does not begin at key tile 0, and the first whose range ends with the last one; rows()
  /// where there is none. Before both a row is no shorter than the one above it, behind both no longer.
  TRI_HD constexpr u32 first_row_past_start() const {
    const i64 second = tile_keys_ < mask_.keys ? tile_keys_ : mask_.keys;  // the key behind those of tile 0
    return bounded(detail::floor_divided(second - mask_.low + tile_queries_ - 1, tile_queries_));
  }
  TRI_HD constexpr u32 first_row_at_end() const {
    const i64 needed = i64{cols_ - 1} * tile_keys_ - mask_.high;  // the query that sees the last tile
    if (cols_ == 0 || needed > i64{mask_.queries} - 1) return rows_;
    return bounded(detail::floor_divided(needed, tile_queries_));
  }

 private:
  TRI_HD static constexpr u32 tiles(u32 elements, u32 tile) { return elements / tile + (elements % tile != 0); }
  TRI_HD constexpr u32 bounded(i64 row) const { return static_cast<u32>(detail::clamped(row, 0, rows_)); }
  TRI_HD constexpr i64 last_query(u32 row) const {
    const i64 below = (i64{row} + 1) * tile_queries_;
    return (below < i64{mask_.queries} ? below : i64{mask_.queries}) - 1;
  }

  AttentionMask mask_;
  u32 tile_queries_, tile_keys_, rows_, cols_;
};

/// A plain value, to be passed to a kernel; safe to share among threads.
class AttentionRows {
 public:
  using Tile = AttentionRow;
  using Cursor = OneTile<AttentionRow>;

  /// heads x sequences problems of one mask. section: of how many of them keys and values fit into a cache; 0 for all.
  /// Launches: one, rows x heads x sequences, below 2^63.
  TRI_HD constexpr AttentionRows(AttentionTiling tiling, u32 heads, u32 sequences, u32 section = 0)
      : tiling_(tiling), problems_(u64{heads} * sequences), heads_(heads), section_(section) {
    const u32 most = problems_ < 0xffffffffu ? static_cast<u32>(problems_) : 0xffffffffu;
    if (section_ == 0 || section_ > most) section_ = most;
    const u32 left = tiling_.first_row_past_start(), right = tiling_.first_row_at_end();
    begin_ = left < right ? left : right;
    end_ = left < right ? right : left;
    // The last row's tile may hold fewer queries, which meet fewer key tiles.
    const u32 last = tiling_.rows() - 1;
    if (begin_ < end_ && end_ > last && last != 0 && tiling_.row(last).length() < tiling_.row(last - 1).length())
      --end_;
    if (begin_ == 0 || end_ == tiling_.rows()) return;
    upper_first_ = tiling_.row(begin_ - 1).length() >= tiling_.row(end_).length();
  }

  TRI_HD constexpr u64 tile_count() const { return tiling_.rows() * problems_; }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  /// position.x < tile_count(); elsewhere the result is undefined.
  TRI_HD constexpr Cursor begin(Position position) const {
    const u64 of_section = u64{tiling_.rows()} * section_, before = divided(position.x, of_section);
    const u64 in_section = position.x - before * of_section, first = before * section_;
    const u64 left = problems_ - first;
    const u32 size = left < section_ ? static_cast<u32>(left) : section_;
    const u64 rank = divided(in_section, size), problem = first + (in_section - rank * size);
    AttentionRow row = tiling_.row(row_of_rank(static_cast<u32>(rank)));
    row.sequence = static_cast<u32>(divided(problem, heads_));
    row.head = static_cast<u32>(problem - u64{row.sequence} * heads_);
    return {row, true};
  }

  /// The position of a row of a head and a sequence, the inverse of begin().
  TRI_HD constexpr u64 position_of(const AttentionRow& row) const {
    const u64 problem = u64{row.sequence} * heads_ + row.head, first = problem - problem % section_;
    const u64 size = problems_ - first < section_ ? problems_ - first : section_;
    return first * tiling_.rows() + rank_of(row.row) * size + (problem - first);
  }

  /// How many rows of its problem come before a row.
  TRI_HD constexpr u32 rank_of(u32 row) const {
    if (row >= begin_ && row < end_) return end_ - 1 - row;
    const u32 lower = tiling_.rows() - end_, shorter = begin_ < lower ? begin_ : lower;
    const bool upper = row < begin_;
    const u32 depth = upper ? begin_ - 1 - row : row - end_;
    return end_ - begin_ + (depth < shorter ? 2 * depth + (upper != upper_first_) : depth + shorter);
  }

  /// The row of a rank.
  TRI_HD constexpr u32 row_of_rank(u32 rank) const {
    if (rank < end_ - begin_) return end_ - 1 - rank;
    const u32 behind = rank - (end_ - begin_), lower = tiling_.rows() - end_;
    const u32 both = 2 * (begin_ < lower ? begin_ : lower);
    if (behind >= both) return begin_ > lower ? begin_ + lower - 1 - behind : end_ + (behind - begin_);
    const bool upper = ((behind & 1) == 0) == upper_first_;
    return upper ? begin_ - 1 - behind / 2 : end_ + behind / 2;
  }

 private:
  TRI_HD static constexpr u64 divided(u64 a, u64 b) {
    return ((a | b) >> 32) == 0 ? static_cast<u32>(a) / static_cast<u32>(b) : a / b;
  }

  AttentionTiling tiling_;
  u64 problems_;
  u32 heads_, section_;
  u32 begin_ = 0, end_ = 0;  ///< the rows that are longest
  bool upper_first_ = true;
};

/// Sequences of different lengths in one launch. A plain value; the table is not its own.
class AttentionBatch {
 public:
  using Tile = AttentionRow;
  using Cursor = OneTile<AttentionRow>;

  /// The row tiles of all masks, the longest first, those of equal length in the order of masks and rows: 28 bytes
  /// each. Host only; throws std::length_error for 2^32 - 1 masks or 2^32 rows or more, and std::bad_alloc.
  template <class Error = std::length_error>
  static std::vector<AttentionRow> make_table(std::span<const AttentionMask> masks, u32 tile_queries, u32 tile_keys) {
    if (masks.size() >= 0xffffffffu) throw Error("a batch of 2^32 - 1 sequences or more");
    u64 count = 0;
    for (const AttentionMask& mask : masks) count += AttentionTiling(mask, tile_queries, tile_keys).rows();
    if (count >> 32 != 0) throw Error("a batch of 2^32 row tiles or more");
    std::vector<AttentionRow> table;
    table.reserve(count);
    u32 sequence = 0;
    for (const AttentionMask& mask : masks) {
      const AttentionTiling tiling(mask, tile_queries, tile_keys);
      for (u32 k = 0; k < tiling.rows(); ++k) {
        AttentionRow row = tiling.row(k);
        row.sequence = sequence;
        table.push_back(row);
      }
      ++sequence;
    }
    std::sort(table.begin(), table.end(), [](const AttentionRow& a, const AttentionRow& b) {
      if (a.length() != b.length()) return a.length() > b.length();
      return a.sequence != b.sequence ? a.sequence < b.sequence : a.row < b.row;
    });
    return table;
  }

  /// table: [rows] of make_table(), in host or device memory, wherever begin() runs. Launches: one, rows x heads.
  TRI_HD constexpr AttentionBatch(const AttentionRow* table, u32 rows, u32 heads)
      : table_(table), rows_(rows), heads_(heads) {}

  TRI_HD constexpr u64 tile_count() const { return u64{rows_} * heads_; }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  /// position.x < tile_count(); elsewhere the result is undefined. One read of the table.
  TRI_HD constexpr Cursor begin(Position position) const {
    const u64 rank = (position.x >> 32) == 0 ? static_cast<u32>(position.x) / heads_ : position.x / heads_;
    AttentionRow row = table_[rank];
    row.head = static_cast<u32>(position.x - rank * heads_);
    return {row, true};
  }

 private:
  const AttentionRow* table_;
  u32 rows_, heads_;
};

/// The tiles of a mask that hold a pair, one block each: for kernels that write the scores, or share out the tiles of a
/// row among several blocks. tile: the side of both, at least 1; exact where (queries + keys) / tile is at most 2^31.
TRI_HD constexpr TriangleBand band_of(const AttentionMask& mask, u32 tile) {
  const i64 queries = mask.queries, keys = mask.keys;
  if (queries == 0 || keys == 0 || mask.low > mask.high || mask.low >= keys || mask.high <= -queries) {
    return TriangleBand(0, 0, 0);
  }
  const i64 low = mask.low < 1 - queries ? 1 - queries : mask.low, high = mask.high >= keys ? keys - 1 : mask.high;
  // The last query, and the last key, may end the band inside the last tile of a row or a column.
  const i64 cols = detail::clamped(queries - 1 + high, 0, keys - 1) / tile + 1;
  const i64 rows = detail::clamped(keys - 1 - low, 0, queries - 1) / tile + 1;
  const i64 shift = detail::floor_divided(i64{tile} - 1 + high, tile);
  const i64 window = shift - detail::floor_divided(low, tile) + 1;
  return TriangleBand(static_cast<u32>(rows), static_cast<u32>(cols), shift,
                      window < i64{TriangleBand::kNoWindow} ? static_cast<u32>(window) : TriangleBand::kNoWindow);
}

}  // namespace tri
