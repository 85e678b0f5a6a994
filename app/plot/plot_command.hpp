#pragma once
/// `plot`: results of benches as a figure.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Writes the SVG file of the options. Throws FileError for what cannot be read or written, ConfigError when there is
/// nothing to draw.
int run_plot(const RunConfig& config, Console& console);

/// The same of one result that is at hand: `json` as `bench --format json` writes it.
void write_plot(const std::string& json, const PlotOptions& options, Console& console);

}  // namespace tri::app
