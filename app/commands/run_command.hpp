#pragma once
/// `run`: a scene without a window, from its first step or from a snapshot to its summary.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Runs, writes the files that were asked for, prints the summary. Returns the exit code: ok (also when --walltime
/// ended it) or interrupted. Throws what the simulation and the files throw; rows of diagnostics and snapshots up to
/// then are on the disk.
int run_simulation(const RunConfig& config, Console& console);

}  // namespace tri::app
