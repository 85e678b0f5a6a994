#pragma once
/// `compute`: runs the kernels on a user's own file.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Reads the input, computes, and writes the output to a temporary file that it renames. Prints a summary line, or one
/// object with --json. The arithmetic is float64 unless --precision says otherwise: here accuracy matters more than
/// speed.
int run_compute(const RunConfig& config, Console& console);

}  // namespace tri::app
