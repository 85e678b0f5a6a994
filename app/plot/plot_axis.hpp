#pragma once
/// Axes of a plot: ticks with labels for a data range, on a linear or a logarithmic scale. Independent of drawing. Pure
/// functions, thread-safe.

#include <span>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class Scale : u8 { linear, log2, log10 };

/// low <= high. Empty until a finite value is added.
struct Range {
  double low = 0, high = 0;
  bool empty = true;

  void add(double value);
};

struct Tick {
  double value = 0;
  std::string label;  ///< empty on a minor tick; "^" before a power: "2^20", "5×10^-4" (UTF-8)
};

struct Axis {
  Scale scale = Scale::linear;
  double low = 0, high = 1;
  std::vector<Tick> ticks;  ///< ascending, all within [low, high]

  /// Maps low to 0 and high to 1, also outside of the range. Expects value > 0 on a logarithmic scale.
  double at(double value) const;
};

/// The range extended at both ends by a fraction of its length on the scale. A single value becomes a range around it.
/// Expects a non-empty range, of values > 0 on a logarithmic scale.
Range widened(Scale scale, Range range, double fraction);

/// An axis over `range` (low < high; > 0 on a logarithmic scale). Ticks at 1, 2 or 5 times a power of ten, on log2 at
/// powers of two, as dense as max_labels >= 2 allows; at least two for max_labels >= 5. A logarithmic axis too short
/// for two such ticks gets linear ones.
Axis make_axis(Scale scale, Range range, u32 max_labels);

/// A scale for a list of sizes: log2 for powers of two, linear for equal steps, log10 if the largest is at least 20
/// times the smallest, else linear. Expects distinct ascending values > 0.
Scale natural_scale(std::span<const double> values);

/// "0.25", "12,500": the format of axis labels, with `digits` decimals.
std::string plain_number(double value, int digits);

}  // namespace tri::app
