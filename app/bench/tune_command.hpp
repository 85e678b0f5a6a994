#pragma once
/// `bench --tune`: measures which tiles are fastest on this device and keeps them for later runs.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Throws ConfigError for options that have no meaning with --tune.
void check_tune(const RunConfig& config);

/// Prints a table as it goes and writes the file. Returns ok, or interrupted without writing.
int run_tune(const RunConfig& config, Console& console);

}  // namespace tri::app
