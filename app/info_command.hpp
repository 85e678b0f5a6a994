#pragma once
/// `info` and `list`: what this program and this machine have.

#include "app/console.hpp"
#include "app/run_config.hpp"

namespace tri::app {

int run_info(const RunConfig& config, Console& console);
int run_list(const RunConfig& config, Console& console);

}  // namespace tri::app
