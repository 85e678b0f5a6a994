#pragma once
/// `compute`: the kernels as a tool, on a user's own file.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Reads the input, computes, writes the output beside and renames it. Prints a summary line, or with --json one
/// object. The arithmetic is float64 unless --precision says otherwise: here the answer matters more than the rate.
int run_compute(const RunConfig& config, Console& console);

}  // namespace tri::app
