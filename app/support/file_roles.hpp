#pragma once
/// Which files a command line reads, and which it writes.

#include <optional>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Throws ConfigError if an output is an input or another output: the same file, under whatever name and through links,
/// also one that is not there yet, and one of a series. Pipes and devices may be given twice. Call it before any file
/// is opened.
void check_outputs(const RunConfig& config);

/// Throws FileError if an output cannot be written: before the work, not after it. Notes a pipe, which may be waited
/// for.
void check_writable(const RunConfig& config, Console& console);

/// Throws ConfigError if an output is a file that was read: one that a scene or a list of states names, too. Call it
/// once the inputs are read. A run that goes on writes no states up to its first step.
void check_files_read(const RunConfig& config, std::optional<u64> first_step = {});

}  // namespace tri::app
