#pragma once
/// Shell completion scripts, generated from the parser's tables so that they are always up to date; and the man page,
/// generated from the help.

#include <string>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// The script for "bash", "zsh" or "fish".
std::string completion_script(const std::string& shell);

/// The help as a man page of section 1 (roff, man macros).
std::string man_page();

/// The commands `completion SHELL` and `man`.
int run_completion(const RunConfig& config, Console& console);
int run_man(const RunConfig& config, Console& console);

}  // namespace tri::app
