#pragma once
/// `bench`: plan, run, report.

#include "app/bench/bench_plan.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"

namespace tri::app {

/// Returns ok, check_failed when a check failed, or interrupted. Throws ConfigError with the first refusal when nothing
/// that was requested could be timed.
int run_bench_command(const RunConfig& config, Console& console);

}  // namespace tri::app
