// A panel of dots: one row per map with its interval and its value in digits.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/plot/plot_panel.hpp"

namespace tri::app {
namespace {

constexpr double kPitch = 11, kRadius = 2.3, kAbove = 2, kBelow = 12;

std::string digits(const Panel& panel, const PlotPoint& p) {
  if (p.failed) return "failed";
  const double value = p.of(panel.quantity).mid;
  return std::isfinite(value) ? value_text(value * panel.scale.factor) : "";
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
    if (panel_.quantity == Quantity::improvement) references();
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
    for (const Tick& t : axis_.ticks) {
      if (t.label.empty()) continue;
      canvas_.line({at_x(t.value), plot_.top}, {at_x(t.value), plot_.bottom()}, {kGridColour, 0.5, ""});
    }
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
    const Stroke ink{kInk, 0.6, ""};
    canvas_.line({plot_.left, plot_.bottom()}, {plot_.right(), plot_.bottom()}, ink);
    Font font = kTickFont;
    font.anchor = Anchor::middle;
    for (const Tick& t : axis_.ticks) {
      const double length = t.label.empty() ? kTickLength * 0.6 : kTickLength, x = at_x(t.value);
      canvas_.line({x, plot_.bottom()}, {x, plot_.bottom() + length}, ink);
      if (!t.label.empty()) canvas_.text({x, plot_.bottom() + kTickLength + font.size}, t.label, font, true);
    }
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

}  // namespace tri::app
