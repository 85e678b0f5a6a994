#pragma once
/// The search for the first index at which a formula from an index to a row is wrong, with integers alone as the
/// measure. Internal to app/verify and its tests.
///
/// A formula is f(index) -> row. Each is a chain of rounded operations none of which falls as its argument grows, so in
/// a row the wrong indices are at an end: a row whose first and last index are right is right, and bisection finds
/// where the wrong ones begin. (Where an integer wraps, it does so once within a row, and bisection finds that too.)

#include <limits>
#include <optional>

#include "sim/base/platform.hpp"

namespace tri::app {

/// What a formula gives where it has no row: the root of a negative number.
inline constexpr i64 kNoRow = std::numeric_limits<i64>::min();

/// A row and the first index in it that is wrong.
struct WrongRow {
  u64 row = 0;
  u64 index = 0;
};

/// The first wrong index of [first, last], whose row is `row`. Nothing when both ends are right.
template <class F>
std::optional<u64> first_wrong_in_row(const F& f, u64 row, u64 first, u64 last) {
  const auto right = [&](u64 index) { return f(index) == static_cast<i64>(row); };
  if (!right(first)) return first;
  if (right(last)) return std::nullopt;
  u64 low = first, high = last;  // right, wrong
  while (high - low > 1) {
    const u64 middle = low + (high - low) / 2;
    (right(middle) ? low : high) = middle;
  }
  return high;
}

/// Rows one after the other; row r has the indices [first_of(r), first_of(r + 1)). Every index below `every`, then both
/// ends of each row. Nothing when rows below `rows` are right.
template <class F, class FirstOf>
std::optional<WrongRow> first_wrong_row_of(const F& f, const FirstOf& first_of, u64 every, u64 rows) {
  for (u64 row = 0; row < rows; ++row) {
    const u64 first = first_of(row), end = first_of(row + 1);
    for (u64 index = first; index < end && index < every; ++index) {
      if (f(index) != static_cast<i64>(row)) return WrongRow{row, index};
    }
    if (end <= every) continue;
    if (const auto wrong = first_wrong_in_row(f, row, first, end - 1)) return WrongRow{row, *wrong};
  }
  return std::nullopt;
}

/// The strict upper triangle of n elements in the order of SciPy and R: row i has n - 1 - i indices.
constexpr u64 first_of_condensed_row(u64 n, u64 i) { return i * (2 * n - i - 1) / 2; }

/// The first row of that triangle with a wrong index, by both ends of each row. Nothing when all are right.
template <class F>
std::optional<WrongRow> first_wrong_condensed(const F& f, u64 n) {
  for (u64 i = 0; i + 1 < n; ++i) {
    const u64 first = first_of_condensed_row(n, i), last = first_of_condensed_row(n, i + 1) - 1;
    if (const auto wrong = first_wrong_in_row(f, i, first, last)) return WrongRow{i, *wrong};
  }
  return std::nullopt;
}

}  // namespace tri::app
