#pragma once
/// `info` and `list`: what this program and this machine support.

#include "app/support/console.hpp"
#include "app/support/gui_commands.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

int run_info(const RunConfig& config, Console& console, const GuiCommands& gui);
int run_list(const RunConfig& config, Console& console);

}  // namespace tri::app
