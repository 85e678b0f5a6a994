#pragma once
/// Words for shells: scripts that complete command lines, made from the tables that the parser reads, so that they
/// cannot fall behind it; and the man page, made from the help.

#include <string>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// The script for "bash", "zsh" or "fish".
std::string completion_script(const std::string& shell);

/// The help as a man page of section 1 (roff, man macros).
std::string man_page();

/// `completion SHELL` and `man`: prints the one or the other.
int run_completion(const RunConfig& config, Console& console);
int run_man(const RunConfig& config, Console& console);

}  // namespace tri::app
