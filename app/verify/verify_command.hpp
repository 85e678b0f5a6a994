#pragma once
/// The command `verify`: checks every map and every available backend, as a table.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "app/verify/verify_checks.hpp"

namespace tri::app {

/// Runs the checks in order, prints a row after each (or one JSON object at the end), and returns ok, check_failed, or
/// interrupted if `stop` was set between two checks.
int run_checks(const std::vector<VerifyCheck>& checks, bool json, Console& console, const std::atomic<bool>& stop);

int run_verify(const RunConfig& config, Console& console);

}  // namespace tri::app
