#pragma once
/// `convert`: bodies from one format into another.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Reads the input (a file of any format, or a scene) and writes the output; whatever is left out or assumed is told.
/// Returns the exit code. Throws FileError and ConfigError.
int run_convert(const RunConfig& config, Console& console);

}  // namespace tri::app
