// A panel of lines over x: bands, then lines, then markers; gaps where results are missing.

#include <algorithm>
#include <cmath>

#include "app/plot/plot_panel.hpp"

namespace tri::app {
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
    if (panel_.quantity == Quantity::improvement) {
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
    for (const Tick& t : x_.ticks) {
      if (t.label.empty()) continue;
      canvas_.line({at_x(t.value), plot_.top}, {at_x(t.value), plot_.bottom()}, {kGridColour, 0.5, ""});
    }
    for (const Tick& t : y_.ticks) {
      if (t.label.empty()) continue;
      canvas_.line({plot_.left, at_y(t.value)}, {plot_.right(), at_y(t.value)}, {kGridColour, 0.5, ""});
    }
  }

  void frame() {
    const Stroke ink{kInk, 0.6, ""};
    canvas_.line({plot_.left, plot_.top}, {plot_.left, plot_.bottom()}, ink);
    canvas_.line({plot_.left, plot_.bottom()}, {plot_.right(), plot_.bottom()}, ink);
    Font font = kTickFont;
    font.anchor = Anchor::middle;
    for (const Tick& t : x_.ticks) {
      const double length = t.label.empty() ? kTickLength * 0.6 : kTickLength, x = at_x(t.value);
      canvas_.line({x, plot_.bottom()}, {x, plot_.bottom() + length}, ink);
      if (!t.label.empty()) canvas_.text({x, plot_.bottom() + kTickLength + font.size}, t.label, font, true);
    }
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

}  // namespace tri::app
