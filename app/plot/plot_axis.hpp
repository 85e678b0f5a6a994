#pragma once
/// Axes of a plot: from the range of the data to ticks with labels, on a linear or a logarithmic scale. Knows nothing
/// of what draws them. Pure functions: any thread may call them.

#include <span>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class Scale : u8 { linear, log2, log10 };

/// low <= high. Empty until something finite is added.
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

  /// 0 at low, 1 at high; outside of [0, 1] for what lies outside. On a logarithmic scale value > 0.
  double at(double value) const;
};

/// The range longer by `share` of its length at both ends, as the scale measures length. One value becomes a range
/// around it. Never empty; on a logarithmic scale it must be of values > 0.
Range widened(Scale scale, Range range, double share);

/// Ends are those of `range` (low < high; > 0 on a logarithmic scale). Ticks at 1, 2 or 5 times a power of ten, on log2
/// at powers of two, the densest that do not label more than `most_labels` >= 2; at least two where that is 5 or more.
/// Where a logarithmic axis is too short for two of its own, linear ticks stand on it.
Axis make_axis(Scale scale, Range range, u32 most_labels);

/// The scale that sizes ask for: log2 for powers of two, linear for equal steps, log10 where the largest is 20 times
/// the smallest, else linear. Distinct ascending values > 0.
Scale natural_scale(std::span<const double> values);

/// "0.25", "12,500": as the labels of an axis are written; `digits` after the point.
std::string plain_number(double value, int digits);

}  // namespace tri::app
