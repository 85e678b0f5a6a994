#pragma once
/// Dispatches a parsed command line to its command.

#include "app/support/console.hpp"
#include "app/support/gui_commands.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Runs the command and returns the exit code. Throws what the command throws: Error carries its exit code,
/// std::bad_alloc means out of memory.
int run_command(const RunConfig& config, Console& console, const GuiCommands& gui);

}  // namespace tri::app
