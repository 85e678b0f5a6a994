#pragma once
/// `run gasket:r=10 --steps N`: a cellular automaton on a fractal, without a window.

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// The scene on the command line names an automaton (names_automaton()). Returns the exit code; throws ConfigError for
/// an option that does not apply here, and what automata and files throw.
int run_fractal(const RunConfig& config, Console& console);

}  // namespace tri::app
