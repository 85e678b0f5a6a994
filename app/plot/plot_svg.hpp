#pragma once
/// Bench results as an SVG document. Pure.

#include <string>

#include "app/plot/plot_data.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// The document, options.width_mm wide and as high as needed; reports of devices become the page of report_page.hpp
/// unless options.kind asks for another figure. Ignores the input and output files of the options. Throws
/// ConfigError when there is nothing to draw (see plot_figure()).
std::string plot_svg(const PlotData& data, const PlotOptions& options);

/// The same for one result in memory: `json` as written by `bench --format json`.
std::string plot_svg(const std::string& json, const PlotOptions& options);

}  // namespace tri::app
