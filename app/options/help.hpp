#pragma once
/// What the program says of its own command line: the help, app/help.md, which is also its documentation, and shell
/// completion, generated from the parser's tables so that it is always up to date.

#include <string>
#include <string_view>

namespace tri::app {

/// The section of a command followed by the common options; the whole text for "". Plain text, without Markdown.
/// Expects a known command.
std::string help_text(std::string_view command);

/// The short text for a command line without a command.
std::string short_help_text();

/// The help as a man page of section 1 (roff, man macros).
std::string man_page();

/// The script for "bash", "zsh" or "fish".
std::string completion_script(const std::string& shell);

}  // namespace tri::app
