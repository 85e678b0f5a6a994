// The panels of a figure as SVG: scales, dots, lines.
//
// The scales of panels: ranges over all facets of a kernel, units, and axes whose labels fit.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/plot/plot.hpp"
#include "sim/base/error.hpp"

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
      if (!is_ratio(quantity)) continue;
      for (const auto& bound : facet.bound) {
        if (bound) all.add(*bound);
      }
    }
  }
  if (is_ratio(quantity)) all.add(1);
  return all;
}

Scale y_scale(Quantity quantity, Range range, PlotLog log) {
  const double ratio = range.high / range.low;
  // Speed-ups are read in doublings, unless there are many.
  const bool doublings = is_ratio(quantity) && range.low > 0.2 && range.high < 64;
  const Scale own = doublings ? Scale::log2 : Scale::log10;
  if (log == PlotLog::y || log == PlotLog::xy) return own;
  if (log != PlotLog::automatic || quantity == Quantity::idle) return Scale::linear;
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
  } else if (quantity == Quantity::idle) {
    unit = {100, "%"};
    s.unit = unit.name;
    s.heading = "idle blocks (%)";
    range.add(range.high > 0 ? 0 : 1);
  } else if (quantity == Quantity::theory) {
    s.heading = "the same in theory";
  } else {
    s.heading = figure.baseline.empty() ? "improvement over the baseline"
                                        : fmt::format("improvement, T({}) / T(map)", figure.baseline);
  }
  s.factor = unit.factor;
  range.low *= unit.factor, range.high *= unit.factor;
  s.y_scale = y_scale(quantity, range, log);
  if (facet.single() && log == PlotLog::automatic && range.high < 20 * range.low) s.y_scale = Scale::linear;
  // Linear axes of times and rates start at 0.
  if (s.y_scale == Scale::linear && !is_ratio(quantity)) range.add(0);
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

// A panel of dots: one row per map with its interval and its value in digits.

namespace {

constexpr double kPitch = 11, kRadius = 2.3, kAbove = 2, kBelow = 12;

std::string digits(const Panel& panel, const PlotPoint& p) {
  if (p.failed) return "failed";
  const double value = p.of(panel.quantity).mid;
  return std::isfinite(value) ? value_text(value * panel.scale.factor) : "";
}

/// Lines over the panel at the labelled ticks of the axis below it.
void grid_above(Canvas& canvas, const PlotBox& plot, const Axis& axis) {
  for (const Tick& t : axis.ticks) {
    if (t.label.empty()) continue;
    const double x = plot.left + axis.at(t.value) * plot.width;
    canvas.line({x, plot.top}, {x, plot.bottom()}, {kGridColour, 0.5, ""});
  }
}

/// The axis below a panel, with its ticks and labels.
void axis_below(Canvas& canvas, const PlotBox& plot, const Axis& axis) {
  const Stroke ink{kInk, 0.6, ""};
  canvas.line({plot.left, plot.bottom()}, {plot.right(), plot.bottom()}, ink);
  Font font = kTickFont;
  font.anchor = Anchor::middle;
  for (const Tick& t : axis.ticks) {
    const double length = t.label.empty() ? kTickLength * 0.6 : kTickLength;
    const double x = plot.left + axis.at(t.value) * plot.width;
    canvas.line({x, plot.bottom()}, {x, plot.bottom() + length}, ink);
    if (!t.label.empty()) canvas.text({x, plot.bottom() + kTickLength + font.size}, t.label, font, true);
  }
}

class DotPanel {
 public:
  DotPanel(Canvas& canvas, const Panel& panel) : canvas_(canvas), panel_(panel) {
    // The same width in all panels, so that stacked panels align.
    double names = 0;
    for (const std::string& map : panel.figure.maps) names = std::max(names, text_width(map, kTickFont));
    const double values = text_width("0.0000", kTickFont);
    const PlotBox& box = panel.box;
    plot_ = {box.left + names + 5, box.top + kAbove, box.width - names - 5 - values - 5, rows_height()};
    // The quantity is on the x axis here.
    PanelScale along = panel.scale;
    along.x_scale = panel.scale.y_scale, along.x = panel.scale.y, along.x_values.clear();
    axis_ = fitting_axis(along, true, plot_.width);
  }

  void draw() {
    grid();
    canvas_.open_clipped({plot_.left - 1, plot_.top, plot_.width + 2, plot_.height});
    if (is_ratio(panel_.quantity)) references();
    for (std::size_t i = 0; i < panel_.facet.series.size(); ++i) dot(panel_.facet.series[i], i);
    canvas_.close();
    labels();
  }

 private:
  double rows_height() const { return kPitch * static_cast<double>(panel_.facet.series.size()); }
  double at_x(double shown) const { return plot_.left + axis_.at(shown) * plot_.width; }
  double at_row(std::size_t i) const { return plot_.top + kPitch * (static_cast<double>(i) + 0.5); }
  double of_data(double value) const {
    const double shown = value * panel_.scale.factor;
    return at_x(axis_.scale == Scale::linear ? shown : std::max(shown, axis_.low * 1e-3));
  }

  void grid() {
    for (std::size_t i = 0; i < panel_.facet.series.size(); ++i) {
      canvas_.line({plot_.left, at_row(i)}, {plot_.right(), at_row(i)}, {kGridColour, 0.5, "0.8 1.6"});
    }
    grid_above(canvas_, plot_, axis_);
  }

  void references() {
    canvas_.line({at_x(1), plot_.top}, {at_x(1), plot_.bottom()}, {"#999999", 0.6, ""});
    if (!panel_.facet.bound[0]) return;
    canvas_.open("bound by launched blocks");
    const double x = at_x(*panel_.facet.bound[0]);
    canvas_.line({x, plot_.top}, {x, plot_.bottom()}, kBoundStroke);
    canvas_.close();
  }

  void dot(const PlotSeries& s, std::size_t row) {
    const SeriesStyle& style = panel_.styles[s.map];
    const PlotPoint& p = *s.points[0];
    const Spread spread = p.of(panel_.quantity);
    if (!std::isfinite(spread.mid)) return;
    const Place at{of_data(spread.mid), at_row(row)};
    if (p.failed) {
      canvas_.open(panel_.figure.maps[s.map] + ": its check failed");
      canvas_.marker(Marker::cross, at, 1.4 * kRadius, kFailedColour, false);
    } else {
      canvas_.open(panel_.figure.maps[s.map]);
      canvas_.line({of_data(spread.low), at.y}, {of_data(spread.high), at.y}, {style.colour, 1.1, ""});
      canvas_.marker(style.marker, at, kRadius, style.colour, style.hollow);
    }
    canvas_.close();
  }

  void labels() {
    axis_below(canvas_, plot_, axis_);
    Font font = kTickFont;
    font.anchor = Anchor::end;
    for (std::size_t i = 0; i < panel_.facet.series.size(); ++i) {
      const PlotSeries& s = panel_.facet.series[i];
      const double y = at_row(i) + 0.35 * font.size;
      font.colour = kInk;
      canvas_.text({plot_.left - 4, y}, panel_.figure.maps[s.map], font);
      if (s.points[0]->failed) font.colour = kFailedColour;
      canvas_.text({panel_.box.right(), y}, digits(panel_, *s.points[0]), font);
    }
  }

  Canvas& canvas_;
  const Panel& panel_;
  Axis axis_;
  PlotBox plot_;
};

}  // namespace

double dots_height(const PlotFacet& facet) {
  return kAbove + kPitch * static_cast<double>(facet.series.size()) + kBelow;
}

void draw_dots(Canvas& canvas, const Panel& panel) { DotPanel(canvas, panel).draw(); }

// A panel of lines over x: bands, then lines, then markers; gaps where results are missing.

namespace {

constexpr double kMarkerRadius = 1.9, kLineWidth = 0.9, kBandOpacity = 0.15;
constexpr std::size_t kMarkersPerLine = 8, kMaxBands = 6;

class LinePanel {
 public:
  LinePanel(Canvas& canvas, const Panel& panel) : canvas_(canvas), panel_(panel) {
    const double below = 2 * kTickFont.size + 7, above = 3;
    y_ = fitting_axis(panel.scale, false, panel.box.height - below - above);
    double labels = 0;
    for (const Tick& t : y_.ticks) labels = std::max(labels, text_width(t.label, kTickFont));
    const double left = labels + kTickLength + 3;
    plot_ = {panel.box.left + left, panel.box.top + above, panel.box.width - left - 7,
             panel.box.height - below - above};
    x_ = fitting_axis(panel.scale, true, plot_.width);
  }

  void draw() {
    grid();
    // A margin, so that lines along the frame keep their width.
    canvas_.open_clipped({plot_.left - 1, plot_.top - 1, plot_.width + 2, plot_.height + 2});
    const std::vector<PlotSeries>& series = panel_.facet.series;
    for (std::size_t i = 0; i < series.size(); ++i) spread(series[i], i);
    if (is_ratio(panel_.quantity)) {
      const double one = at_y(1);
      canvas_.line({plot_.left, one}, {plot_.right(), one}, {"#999999", 0.6, ""});
      bound();
    }
    for (std::size_t i = 0; i < series.size(); ++i) line(series[i], i);
    for (const PlotSeries& s : series) failures(s);
    canvas_.close();
    frame();
  }

 private:
  double at_x(double value) const { return plot_.left + x_.at(value) * plot_.width; }
  double at_y(double value) const { return plot_.bottom() - y_.at(value) * plot_.height; }
  /// The position of a data value, given in the data's unit.
  Place at(double x, double value) const {
    double shown = value * panel_.scale.factor;
    if (y_.scale != Scale::linear) shown = std::max(shown, y_.low * 1e-3);
    return {at_x(x), at_y(shown)};
  }

  /// Runs of consecutive points to be connected.
  std::vector<std::vector<const PlotPoint*>> runs(const PlotSeries& s) const {
    std::vector<std::vector<const PlotPoint*>> all(1);
    for (const auto& p : s.points) {
      if (p && !p->failed && std::isfinite(p->of(panel_.quantity).mid)) {
        all.back().push_back(&*p);
      } else if (!all.back().empty()) {
        all.emplace_back();
      }
    }
    if (all.back().empty()) all.pop_back();
    return all;
  }

  /// Staggers the markers of different lines, so that overlapping lines can be distinguished.
  bool marked(std::size_t i, std::size_t points, std::size_t number) const {
    const std::size_t stride = (panel_.facet.x.size() + kMarkersPerLine - 1) / kMarkersPerLine;
    return points <= stride || (i + number) % stride == 0;
  }

  /// Bands; with many lines they would hide each other, so bars at the markers instead.
  void spread(const PlotSeries& s, std::size_t number) {
    const std::string_view colour = panel_.styles[s.map].colour;
    const bool bars = panel_.facet.series.size() > kMaxBands;
    for (const auto& run : runs(s)) {
      std::vector<Place> outline;
      for (const PlotPoint* p : run) outline.push_back(at(p->x, p->of(panel_.quantity).high));
      for (auto p = run.rbegin(); p != run.rend(); ++p) outline.push_back(at((*p)->x, (*p)->of(panel_.quantity).low));
      if (run.size() > 1 && !bars) {
        canvas_.area(outline, colour, kBandOpacity);
        continue;
      }
      for (std::size_t i = 0; i < run.size(); ++i) {
        if (marked(i, run.size(), number)) canvas_.line(outline[i], outline[outline.size() - 1 - i], {colour, 0.5, ""});
      }
    }
  }

  void line(const PlotSeries& s, std::size_t number) {
    const SeriesStyle& style = panel_.styles[s.map];
    canvas_.open(panel_.figure.maps[s.map]);
    for (const auto& run : runs(s)) {
      std::vector<Place> points;
      for (const PlotPoint* p : run) points.push_back(at(p->x, p->of(panel_.quantity).mid));
      if (points.size() > 1) canvas_.polyline(points, {style.colour, kLineWidth, style.dash});
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!marked(i, points.size(), number)) continue;
        canvas_.marker(style.marker, points[i], kMarkerRadius, style.colour, style.hollow);
      }
    }
    canvas_.close();
  }

  void failures(const PlotSeries& s) {
    for (const auto& p : s.points) {
      if (!p || !p->failed || !std::isfinite(p->of(panel_.quantity).mid)) continue;
      canvas_.open(panel_.figure.maps[s.map] + ": its check failed");
      canvas_.marker(Marker::cross, at(p->x, p->of(panel_.quantity).mid), 1.4 * kMarkerRadius, kFailedColour, false);
      canvas_.close();
    }
  }

  void bound() {
    std::vector<Place> points;
    canvas_.open("bound by launched blocks");
    const auto flush = [&] {
      if (points.size() > 1) canvas_.polyline(points, kBoundStroke);
      if (points.size() == 1) {
        canvas_.line({points[0].x - 4, points[0].y}, {points[0].x + 4, points[0].y}, kBoundStroke);
      }
      points.clear();
    };
    for (std::size_t i = 0; i < panel_.facet.x.size(); ++i) {
      if (panel_.facet.bound[i]) {
        points.push_back(at(panel_.facet.x[i], *panel_.facet.bound[i]));
      } else {
        flush();
      }
    }
    flush();
    canvas_.close();
  }

  void grid() {
    grid_above(canvas_, plot_, x_);
    for (const Tick& t : y_.ticks) {
      if (t.label.empty()) continue;
      canvas_.line({plot_.left, at_y(t.value)}, {plot_.right(), at_y(t.value)}, {kGridColour, 0.5, ""});
    }
  }

  void frame() {
    const Stroke ink{kInk, 0.6, ""};
    canvas_.line({plot_.left, plot_.top}, {plot_.left, plot_.bottom()}, ink);
    axis_below(canvas_, plot_, x_);
    Font font = kTickFont;
    font.anchor = Anchor::middle;
    canvas_.text({plot_.left + plot_.width / 2, plot_.bottom() + kTickLength + 2.2 * font.size}, panel_.figure.x_label,
                 font);
    font.anchor = Anchor::end;
    for (const Tick& t : y_.ticks) {
      const double length = t.label.empty() ? kTickLength * 0.6 : kTickLength, y = at_y(t.value);
      canvas_.line({plot_.left - length, y}, {plot_.left, y}, ink);
      const Place at{plot_.left - kTickLength - 1.5, y + 0.35 * font.size};
      if (!t.label.empty()) canvas_.text(at, t.label, font, true);
    }
  }

  Canvas& canvas_;
  const Panel& panel_;
  Axis x_, y_;
  PlotBox plot_;
};

}  // namespace

void draw_lines(Canvas& canvas, const Panel& panel) { LinePanel(canvas, panel).draw(); }

namespace {

constexpr double kPoints = 72 / 25.4;  // per millimetre
constexpr double kEdge = 4, kGapX = 16, kGapY = 10, kLegendPitch = 10.5, kSample = 22;
/// Minimum widths for the two panels of a facet side by side, and for small multiples side by side.
constexpr double kMinPair = 165, kMinFacet = 140;
/// Height over width: larger for many lines, smaller for many rows.
constexpr double kMaxHeight = 240, kAspect = 0.66, kCrowded = 0.8, kManyRows = 0.5;
constexpr std::size_t kManyLines = 7;
constexpr Font kTitleFont{9, Anchor::start, true}, kSubtitleFont{7, Anchor::start, false, "#555555"},
    kFacetFont{7.5, Anchor::start, true}, kHeadingFont{7, Anchor::start, false, "#333333"}, kLegendFont{7.5},
    kCaptionFont{6, Anchor::start, false, "#555555"};

/// The legend of the dashed line, with its formula if it is the same for all kernels.
std::string bound_label(const PlotFigure& figure) {
  static constexpr const char* kPairs = "2B/(B + 1)";
  const auto formula = [](const PlotFacet& f) {
    return f.kernel == "triplet" || f.kernel == "dummy3" ? "6B²/((B + 1)(B + 2))"
           : f.kernel == "gasket"                        ? "(4/3) to the power log₂ B"
                                                         : kPairs;
  };
  const std::string first = formula(figure.facets.front());
  const bool same =
      std::all_of(figure.facets.begin(), figure.facets.end(), [&](const PlotFacet& f) { return formula(f) == first; });
  return same ? fmt::format("bound by launched blocks, {} with B blocks a side", first) : "bound by launched blocks";
}

class Layout {
 public:
  Layout(const PlotFigure& figure, const PlotOptions& options)
      : figure_(figure), options_(options), styles_(series_styles(figure.maps)), width_(options.width_mm * kPoints) {}

  std::string document() {
    canvas_.open("");
    words(figure_.title, kTitleFont);
    words(figure_.subtitle, kSubtitleFont);
    canvas_.close();
    y_ += 3;
    legend();
    y_ += 4;
    panels();
    for (const std::string& caption : figure_.captions) words(caption, kCaptionFont);
    std::string description;
    for (const std::string& caption : figure_.captions) description += (description.empty() ? "" : "\n") + caption;
    return canvas_.document(width_, y_ + kEdge, figure_.title, description);
  }

 private:
  double inner() const { return width_ - 2 * kEdge; }

  void words(const std::string& text, const Font& font) {
    if (text.empty()) return;
    for (const std::string& line : wrapped(text, font, inner())) {
      y_ += 1.3 * font.size;
      canvas_.text({kEdge, y_ - 0.25 * font.size}, line, font);
    }
  }

  /// Columns as wide as the widest name; then separate lines for the dashed line and the cross.
  void legend() {
    const bool lines =
        std::any_of(figure_.facets.begin(), figure_.facets.end(), [](const PlotFacet& f) { return !f.single(); });
    if (lines) {
      double widest = 0;
      for (const std::string& map : figure_.maps) widest = std::max(widest, text_width(map, kLegendFont));
      const double column = kSample + 4 + widest + 8;
      const auto fitting = std::max<std::size_t>(1, static_cast<std::size_t>(inner() / column));
      const std::size_t rows = (figure_.maps.size() + fitting - 1) / fitting;
      const std::size_t columns = (figure_.maps.size() + rows - 1) / rows;
      for (std::size_t i = 0; i < figure_.maps.size(); ++i) {
        const std::size_t line = i / columns;
        const Place at{kEdge + static_cast<double>(i % columns) * column,
                       y_ + kLegendPitch * (static_cast<double>(line) + 0.5)};
        const SeriesStyle& style = styles_[i];
        canvas_.line(at, {at.x + kSample, at.y}, {style.colour, 1, style.dash});
        canvas_.marker(style.marker, {at.x + kSample / 2, at.y}, 2.2, style.colour, style.hollow);
        canvas_.text({at.x + kSample + 4, at.y + 0.35 * kLegendFont.size}, figure_.maps[i], kLegendFont);
      }
      y_ += kLegendPitch * static_cast<double>(rows);
    }
    const bool compared =
        std::find(figure_.panels.begin(), figure_.panels.end(), Quantity::improvement) != figure_.panels.end();
    const bool bound = compared && std::any_of(figure_.facets.begin(), figure_.facets.end(), [](const PlotFacet& f) {
                         return std::any_of(f.bound.begin(), f.bound.end(), [](const auto& b) { return bool(b); });
                       });
    if (bound) {
      const double at = y_ + kLegendPitch / 2;
      canvas_.line({kEdge, at}, {kEdge + kSample, at}, kBoundStroke);
      key_words(bound_label(figure_));
    }
    if (figure_.any_failed) {
      canvas_.marker(Marker::cross, {kEdge + kSample / 2, y_ + kLegendPitch / 2}, 3, kFailedColour, false);
      key_words("check failed");
    }
  }

  void key_words(const std::string& text) {
    for (const std::string& line : wrapped(text, kLegendFont, inner() - kSample - 4)) {
      canvas_.text({kEdge + kSample + 4, y_ + kLegendPitch / 2 + 0.35 * kLegendFont.size}, line, kLegendFont);
      y_ += kLegendPitch;
    }
  }

  /// Panels of one facet are in one row if they fit, else in one row each; single panels flow.
  std::size_t columns() const {
    const std::size_t count = figure_.facets.size();
    if (figure_.panels.size() > 1) return inner() >= 2 * kMinPair + kGapX ? figure_.panels.size() : 1;
    const auto fitting = static_cast<std::size_t>((inner() + kGapX) / (kMinFacet + kGapX));
    const std::size_t max_columns = std::clamp<std::size_t>(fitting, 1, count);
    const std::size_t rows = (count + max_columns - 1) / max_columns;
    return (count + rows - 1) / rows;
  }

  double line_panel_height(double column, std::size_t rows) const {
    std::size_t lines = 0;
    for (const PlotFacet& f : figure_.facets) lines = std::max(lines, f.series.size());
    const double aspect = lines >= kManyLines ? kCrowded : rows > 2 ? kManyRows : kAspect;
    return std::min(aspect * column, kMaxHeight) + 20;
  }

  void panels() {
    const std::size_t columns = this->columns(), each = figure_.panels.size(), count = figure_.facets.size() * each;
    const double column = (inner() - kGapX * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    const double of_lines = line_panel_height(column, (count + columns - 1) / columns);
    for (std::size_t begin = 0; begin < count; begin += columns) {
      const std::size_t end = std::min(begin + columns, count);
      double title = 0, tallest = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const PlotFacet& facet = figure_.facets[i / each];
        const auto lines = static_cast<double>(facet_title(facet, columns, column).size());
        if (!facet.title.empty()) title = std::max(title, lines * 1.3 * kFacetFont.size);
        tallest = std::max(tallest, facet.single() ? dots_height(facet) : of_lines);
      }
      const double top = y_ + title;
      for (std::size_t i = begin; i < end; ++i) {
        const PlotFacet& facet = figure_.facets[i / each];
        const double left = kEdge + static_cast<double>(i - begin) * (column + kGapX);
        // Side by side, the panels of a facet share a title.
        if (columns == 1 || i % each == 0) {
          double line = y_;
          for (const std::string& text : facet_title(facet, columns, column)) {
            line += 1.3 * kFacetFont.size;
            canvas_.text({left, line - 0.3 * kFacetFont.size}, text, kFacetFont);
          }
        }
        panel(facet, figure_.panels[i % each], {left, top, column, tallest});
      }
      y_ = top + 1.5 * kHeadingFont.size + tallest + kGapY;
    }
  }

  std::vector<std::string> facet_title(const PlotFacet& facet, std::size_t columns, double column) const {
    return wrapped(facet.title, kFacetFont, figure_.panels.size() > 1 && columns > 1 ? inner() : column);
  }

  void panel(const PlotFacet& facet, Quantity quantity, PlotBox box) {
    const PanelScale scale = panel_scale(figure_, facet, quantity, options_.log);
    const double heading = 1.5 * kHeadingFont.size;
    canvas_.open("");
    canvas_.text({box.left, box.top + kHeadingFont.size}, scale.heading, kHeadingFont);
    box.top += heading;
    const Panel drawn{figure_, facet, quantity, styles_, scale, box};
    facet.single() ? draw_dots(canvas_, drawn) : draw_lines(canvas_, drawn);
    canvas_.close();
  }

  const PlotFigure& figure_;
  const PlotOptions& options_;
  std::vector<SeriesStyle> styles_;
  Canvas canvas_;
  double width_;
  double y_ = kEdge;
};

}  // namespace

std::string plot_svg(const PlotData& data, const PlotOptions& options) {
  if (options.kind == PlotKind::report && !is_report(data)) {
    throw ConfigError(
        "--kind report: these results have no floors. Make them with bench --preset device-report, or leave --kind "
        "out.");
  }
  if (options.kind == PlotKind::report || (options.kind == PlotKind::automatic && is_report(data))) {
    if (options.x != PlotX::automatic || options.log != PlotLog::automatic) {
      throw ConfigError(
          "--x and --log are of curves, and this is the page of a report: leave them out, or add --kind time.");
    }
    return report_svg(data, options);
  }
  const PlotFigure figure = plot_figure(data, options);
  return Layout(figure, options).document();
}

std::string plot_svg(const std::string& json, const PlotOptions& options) {
  PlotData data;
  add_document(data, "the result", json);
  return plot_svg(data, options);
}

}  // namespace tri::app
