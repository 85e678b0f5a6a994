#pragma once
/// One panel of a figure: a quantity of a facet as lines with bands over x, or, for a single x, as rows of dots. Used
/// by plot_svg.cpp.

#include <string>
#include <vector>

#include "app/plot/plot_axis.hpp"
#include "app/plot/plot_canvas.hpp"
#include "app/plot/plot_figure.hpp"
#include "app/plot/plot_style.hpp"

namespace tri::app {

inline constexpr Font kTickFont{7, Anchor::start, false, "#333333"};
inline constexpr double kTickLength = 2.5;  // points
inline constexpr std::string_view kInk = "#333333", kGridColour = "#e4e4e4";
inline constexpr std::string_view kFailedColour = "#c00000";
inline constexpr Stroke kBoundStroke{"#666666", 1, "5 2.5"};

/// Scales of a panel, the same in all facets of a kernel for comparison.
struct PanelScale {
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  Range x, y;  ///< y in the displayed unit
  std::vector<double> x_values;
  double factor = 1;    ///< from the data's unit (ms, 1, 1/s) to the displayed unit
  std::string unit;     ///< "ms", "GB/s"; empty for an improvement
  std::string heading;  ///< above the axis: "time (ms)"
};
PanelScale panel_scale(const PlotFigure& figure, const PlotFacet& facet, Quantity quantity, PlotLog log);

/// A panel to draw; the box includes the axis labels.
struct Panel {
  const PlotFigure& figure;
  const PlotFacet& facet;
  Quantity quantity;
  const std::vector<SeriesStyle>& styles;  ///< of figure.maps
  const PanelScale& scale;
  PlotBox box;
};
void draw_lines(Canvas& canvas, const Panel& panel);
void draw_dots(Canvas& canvas, const Panel& panel);
/// Height of draw_dots().
double dots_height(const PlotFacet& facet);

/// An axis of `length` points whose labels do not overlap; along_x: the x axis, else the y axis.
Axis fitting_axis(const PanelScale& scale, bool along_x, double length);
/// 3 significant digits, without an exponent for moderate values: "1,234", "12.3", "0.012".
std::string value_text(double value);

}  // namespace tri::app
