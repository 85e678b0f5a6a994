#pragma once
/// `bench --tune`: which tiles are fastest on this device, kept for later runs.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Throws ConfigError for options that mean nothing beside --tune.
void check_tune(const RunConfig& config);

/// Prints a table as it goes and writes the file. Returns ok, or interrupted, and then nothing is written.
int run_tune(const RunConfig& config, Console& console);

}  // namespace tri::app
