#pragma once
/// `convert`: converts bodies from one format to another.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Reads the input (a file of any format, or a scene) and writes the output; reports what is omitted or assumed.
/// Returns the exit code. Throws FileError and ConfigError.
int run_convert(const RunConfig& config, Console& console);

}  // namespace tri::app
