#pragma once
/// Title, subtitle and captions of a figure. Used by plot_figure.cpp alone.

#include <string_view>
#include <vector>

#include "app/plot/plot_figure.hpp"

namespace tri::app {

struct PlotRows {
  const PlotData& data;
  const std::vector<const PlotResult*>& asked;  ///< drawn and skipped results
  const std::vector<const PlotResult*>& drawn;
  std::string_view x;  ///< the setting on the x axis
};
void add_words(PlotFigure& figure, const PlotRows& rows);

}  // namespace tri::app
