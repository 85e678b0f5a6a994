#pragma once
/// `run`: a scene without a window, from its first step to its summary.

#include <string>

#include "app/console.hpp"
#include "app/run_config.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {

/// The scene of the command line with --seed, --dt, --eps, --G and --integrator taken in. For a named scene the first
/// four are keys like any other, so that a scene that does not know one refuses it, and one given twice is an error.
Scene scene_of(const RunConfig& config);

/// The file of a snapshot: {step} replaced by the number, with as many digits as the last step has.
std::string snapshot_name(const std::string& pattern, u64 step, u64 last_step);

/// Runs, writes the files that were asked for, prints the summary. Returns the exit code: ok or interrupted. Throws
/// what the simulation and the files throw; rows of diagnostics and snapshots up to then are on the disk.
int run_headless(const RunConfig& config, Console& console);

}  // namespace tri::app
