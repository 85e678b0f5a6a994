#pragma once
/// Which values the instructions of a program may meet: intervals, by running it on intervals. A kernel computes in 32
/// bits where they fit (cuda_text.hpp), which a GPU does several times as fast.
///
/// Pure functions.

#include <limits>
#include <vector>

#include "sim/mapfile/program.hpp"

namespace tri::mapfile {

/// low to high, both included; empty if low > high.
struct Range {
  i64 low = std::numeric_limits<i64>::max(), high = std::numeric_limits<i64>::min();
  bool empty() const { return low > high; }
  bool is(i64 value) const { return low == value && high == value; }
  bool within(i64 least, i64 most) const { return !empty() && low >= least && high <= most; }
  friend bool operator==(const Range&, const Range&) = default;
};
inline constexpr Range kAnyValue{std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()};

/// Of all times that an instruction runs: its operands and what it writes, `repeat` and `next_round` included; empty
/// where it never runs, or has no such operand.
struct Ranges {
  Range a, b, to;
};

/// [instructions]. They hold for every run without a fault that starts with inputs in these ranges (`inputs` of them).
/// A program whose loops take longer than kMaxRangeSteps has kAnyValue everywhere.
inline constexpr u32 kMaxRangeSteps = 20'000;
std::vector<Ranges> ranges_of(const Program& program, const std::vector<Range>& inputs);

}  // namespace tri::mapfile
