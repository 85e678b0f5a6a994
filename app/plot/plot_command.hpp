#pragma once
/// The command `plot`: draws bench results.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Reads the input files and writes the SVG file. Throws FileError for unreadable or unwritable files, ConfigError when
/// there is nothing to draw.
int run_plot(const RunConfig& config, Console& console);

/// The same for one result in memory: `json` as written by `bench --format json`.
void write_plot(const std::string& json, const PlotOptions& options, Console& console);

}  // namespace tri::app
