#pragma once
/// `verify`: the checks of every map and of every backend that is here, as a table.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "app/verify/verify_checks.hpp"

namespace tri::app {

/// Runs the checks one after another, prints a row for each as it ends (or one JSON object at the end), and returns
/// ok, check_failed, or interrupted when `stop` was raised between two checks.
int run_checks(const std::vector<VerifyCheck>& checks, bool json, Console& console, const std::atomic<bool>& stop);

int run_verify(const RunConfig& config, Console& console);

}  // namespace tri::app
