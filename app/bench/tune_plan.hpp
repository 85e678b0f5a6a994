#pragma once
/// What `bench --tune` will try. Pure.

#include <vector>

#include "app/support/run_config.hpp"

namespace tri::app {

/// Throws ConfigError for options that have no meaning with --tune, and for sizes that are not tried.
void check_tune(const RunConfig& config);

/// The numbers of bodies at which tiles are timed, increasing. Throws ConfigError.
std::vector<u64> tune_sizes(const RunConfig& config);

}  // namespace tri::app
