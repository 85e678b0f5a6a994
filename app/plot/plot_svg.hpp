#pragma once
/// A figure of a bench as an SVG document. Pure.

#include <string>

#include "app/plot/plot_data.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// The whole document, options.width_mm wide and as high as it must be. Inputs and output of the options are not
/// looked at. Throws ConfigError when there is nothing to draw (see plot_figure()).
std::string plot_svg(const PlotData& data, const PlotOptions& options);

}  // namespace tri::app
