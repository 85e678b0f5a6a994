// The scales of panels: ranges over all facets of a kernel, units, and axes whose labels fit.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/plot/plot_panel.hpp"

namespace tri::app {
namespace {

/// Intervals extend the range beyond the medians by at most this factor, so that noise does not flatten all lines.
constexpr double kMaxSpread = 1.5;
/// Ratio of largest to smallest value above which a scale is logarithmic.
constexpr double kWideRatio = 4, kWideRate = 10;
constexpr double kMargin = 0.04;

struct Unit {
  double factor;
  const char* name;
};

/// The unit in which the geometric mean of the range (in ms) has few digits.
Unit time_unit(Range ms) {
  const double middle = std::sqrt(ms.low * ms.high);
  if (middle < 3e-4) return {1e6, "ns"};
  if (middle < 0.3) return {1e3, "µs"};
  return middle < 3000 ? Unit{1, "ms"} : Unit{1e-3, "s"};
}

Unit rate_unit(Range per_s) {
  for (const Unit u : {Unit{1e-12, "T"}, Unit{1e-9, "G"}, Unit{1e-6, "M"}, Unit{1e-3, "k"}}) {
    if (per_s.high * u.factor >= 1) return u;
  }
  return {1, ""};
}

/// The range of the medians, extended by their intervals within kMaxSpread.
Range data_range(const PlotFigure& figure, const PlotFacet& like, Quantity quantity) {
  Range mids, all;
  for (const bool spread : {false, true}) {
    for (const PlotFacet& facet : figure.facets) {
      if (facet.kernel != like.kernel || facet.bytes != like.bytes) continue;
      for (const PlotSeries& series : facet.series) {
        for (const auto& point : series.points) {
          if (!point || !std::isfinite(point->of(quantity).mid)) continue;
          const Spread s = point->of(quantity);
          if (!spread) mids.add(s.mid), all.add(s.mid);
          if (spread && !point->failed) {
            all.add(std::max(s.low, mids.low / kMaxSpread));
            all.add(std::min(s.high, mids.high * kMaxSpread));
          }
        }
      }
      if (quantity != Quantity::improvement) continue;
      for (const auto& bound : facet.bound) {
        if (bound) all.add(*bound);
      }
    }
  }
  if (quantity == Quantity::improvement) all.add(1);
  return all;
}

Scale y_scale(Quantity quantity, Range range, PlotLog log) {
  const double ratio = range.high / range.low;
  // Speed-ups are read in doublings, unless there are many.
  const bool doublings = quantity == Quantity::improvement && range.low > 0.2 && range.high < 64;
  const Scale own = doublings ? Scale::log2 : Scale::log10;
  if (log == PlotLog::y || log == PlotLog::xy) return own;
  if (log != PlotLog::automatic) return Scale::linear;
  if (quantity == Quantity::time) return own;
  return ratio > (quantity == Quantity::rate ? kWideRate : kWideRatio) ? own : Scale::linear;
}

Scale x_scale(Quantity quantity, const std::vector<double>& values, PlotLog log) {
  const Scale natural = natural_scale(values);
  const Scale logarithmic = natural == Scale::linear ? Scale::log10 : natural;
  if (log == PlotLog::x || log == PlotLog::xy) return logarithmic;
  if (log != PlotLog::automatic) return Scale::linear;
  // With two logarithmic axes a power law is a straight line.
  const bool wide = values.size() > 1 && values.back() >= 4 * values.front();
  return quantity == Quantity::time && wide ? logarithmic : natural;
}

bool labels_fit(const Axis& axis, bool along_x, double length) {
  double taken = -1e9;
  for (const Tick& tick : axis.ticks) {
    if (tick.label.empty()) continue;
    const double room = along_x ? text_width(tick.label, kTickFont) + 4 : kTickFont.size * 1.5;
    const double begin = axis.at(tick.value) * length - room / 2;
    if (begin < taken) return false;
    taken = begin + room;
  }
  return true;
}

/// Labels up to six integer values directly: 1, 2, 3, 4 features.
bool label_values(Axis& axis, const std::vector<double>& values) {
  if (axis.scale != Scale::linear || values.size() < 2 || values.size() > 6) return false;
  std::vector<Tick> ticks;
  for (const double v : values) {
    if (v != std::floor(v)) return false;
    ticks.push_back({v, plain_number(v, 0)});
  }
  axis.ticks = std::move(ticks);
  return true;
}

}  // namespace

PanelScale panel_scale(const PlotFigure& figure, const PlotFacet& facet, Quantity quantity, PlotLog log) {
  PanelScale s;
  for (const PlotFacet& other : figure.facets) {
    if (other.kernel == facet.kernel && !other.single()) {
      s.x_values.insert(s.x_values.end(), other.x.begin(), other.x.end());
    }
  }
  std::sort(s.x_values.begin(), s.x_values.end());
  s.x_values.erase(std::unique(s.x_values.begin(), s.x_values.end()), s.x_values.end());
  Range range = data_range(figure, facet, quantity);
  if (range.empty) range = {1, 2, false};
  Unit unit{1, ""};
  if (quantity == Quantity::time) {
    unit = time_unit(range);
    s.unit = unit.name;
    s.heading = fmt::format("time ({})", s.unit);
  } else if (quantity == Quantity::rate) {
    unit = rate_unit(range);
    s.unit =
        facet.bytes ? fmt::format("{}B/s", unit.name) : fmt::format("{}{}items/s", unit.name, *unit.name ? " " : "");
    s.heading = fmt::format("rate ({})", s.unit);
  } else {
    s.heading = figure.baseline.empty() ? "improvement over the baseline"
                                        : fmt::format("improvement, T({}) / T(map)", figure.baseline);
  }
  s.factor = unit.factor;
  range.low *= unit.factor, range.high *= unit.factor;
  s.y_scale = y_scale(quantity, range, log);
  if (facet.single() && log == PlotLog::automatic && range.high < 20 * range.low) s.y_scale = Scale::linear;
  // Linear axes of times and rates start at 0.
  if (s.y_scale == Scale::linear && quantity != Quantity::improvement) range.add(0);
  const bool from_zero = range.low == 0;
  s.y = widened(s.y_scale, range, kMargin);
  if (from_zero) s.y.low = 0;
  if (!s.x_values.empty()) {
    s.x_scale = x_scale(quantity, s.x_values, log);
    s.x = widened(s.x_scale, {s.x_values.front(), s.x_values.back(), false}, kMargin);
  }
  return s;
}

Axis fitting_axis(const PanelScale& scale, bool along_x, double length) {
  const Scale kind = along_x ? scale.x_scale : scale.y_scale;
  const Range range = along_x ? scale.x : scale.y;
  Axis axis;
  for (u32 max_labels = along_x ? 12 : 8;; --max_labels) {
    axis = make_axis(kind, range, max_labels);
    if (max_labels == 2 || labels_fit(axis, along_x, length)) break;
  }
  Axis direct = axis;
  if (along_x && label_values(direct, scale.x_values) && labels_fit(direct, along_x, length)) return direct;
  return axis;
}

std::string value_text(double value) {
  if (!(value >= 0.001 && value < 1e7)) return fmt::format("{:.2g}", value);
  const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : value >= 0.09995 ? 3 : 4;
  return plain_number(value, digits);
}

}  // namespace tri::app
