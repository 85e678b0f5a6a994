#pragma once
/// One panel of a figure: a quantity of a facet over x as lines with bands, or, where there is one x, the maps below
/// each other as dots. Used by plot_svg.cpp.

#include <string>
#include <vector>

#include "app/plot/plot_axis.hpp"
#include "app/plot/plot_canvas.hpp"
#include "app/plot/plot_figure.hpp"
#include "app/plot/plot_style.hpp"

namespace tri::app {

inline constexpr Font kTickFont{7, Anchor::start, false, "#333333"};
inline constexpr std::string_view kInk = "#333333", kGridColour = "#e4e4e4", kBoundColour = "#666666";
inline constexpr std::string_view kFailedColour = "#c00000";
inline constexpr Stroke kBoundStroke{kBoundColour, 1, "5 2.5"};

/// Where values stand, equal in all facets of a kernel, so that they can be compared by eye.
struct PanelScale {
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  Range x, y;  ///< y in the unit
  std::vector<double> x_values;
  double factor = 1;    ///< from the data's unit (ms, times, 1/s) to the unit shown
  std::string unit;     ///< "ms", "GB/s"; empty for an improvement
  std::string heading;  ///< what stands above the axis: "time (ms)"
};
PanelScale panel_scale(const PlotFigure& figure, const PlotFacet& facet, Quantity quantity, PlotLog log);

/// Draws into the box, labels of axes within it.
struct Panel {
  const PlotFigure& figure;
  const PlotFacet& facet;
  Quantity quantity;
  const std::vector<SeriesStyle>& styles;  ///< of figure.maps
  const PanelScale& scale;
  Box box;
};
void draw_lines(Canvas& canvas, const Panel& panel);
void draw_dots(Canvas& canvas, const Panel& panel);
/// Height that draw_dots() needs.
double dots_height(const PlotFacet& facet);

/// An axis along `length` points whose labels, `along_x` beside or else above each other, do not touch.
Axis fitting_axis(const PanelScale& scale, bool along_x, double length);
/// 3 significant digits without an exponent where that is short: "1,234", "12.3", "0.012".
std::string value_text(double value);

}  // namespace tri::app
