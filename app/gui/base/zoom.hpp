#pragma once
/// The part of an axis that is shown: zoomed about a place, moved, kept within what there is. Pure.

#include <algorithm>

namespace tri::app::gui {

/// low < high; a linear axis, or the logarithms of a logarithmic one.
struct Extent {
  double low = 0, high = 1;
  double length() const { return high - low; }
  bool operator==(const Extent&) const = default;
};

/// Of the same length where it fits, else all.
inline Extent within(Extent shown, const Extent& all) {
  const double length = std::min(shown.length(), all.length());
  const double low = std::clamp(shown.low, all.low, std::max(all.low, all.high - length));  // rounded
  return {low, low + length};
}

/// Shows 1 / factor of what it shows, with `at` where it is; at most `all`, at least `least` long.
inline Extent zoomed(const Extent& shown, double at, double factor, const Extent& all, double least) {
  const double length = std::clamp(shown.length() / factor, std::min(least, all.length()), all.length());
  const double share = shown.length() > 0 ? (at - shown.low) / shown.length() : 0.5;
  const double low = at - share * length;
  return within({low, low + length}, all);
}

inline Extent moved(const Extent& shown, double by, const Extent& all) {
  return within({shown.low + by, shown.high + by}, all);
}

/// How much one click of the wheel zooms.
inline constexpr double kZoomStep = 1.3;

}  // namespace tri::app::gui
