#pragma once
/// `bench`: plan, run, report.

#include "app/console.hpp"
#include "app/run_config.hpp"

namespace tri::app {

/// Returns ok, check_failed when a check beside a timing failed, interrupted. Throws ConfigError with the first refusal
/// when nothing that was asked for could be timed.
int run_bench_command(const RunConfig& config, Console& console);

}  // namespace tri::app
