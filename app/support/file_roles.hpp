#pragma once
/// Which files a command line reads, and which it writes.

#include "app/support/run_config.hpp"

namespace tri::app {

/// Throws ConfigError if an output is an input or another output: the same file, under whatever name and through links,
/// also one that is not there yet. Pipes and devices may be given twice. Call it before any file is opened.
void check_outputs(const RunConfig& config);

}  // namespace tri::app
