#pragma once
/// The help: app/help.md, one text for the documentation and for --help.

#include <string>
#include <string_view>

namespace tri::app {

/// The part of a command with the common options after it; the whole text for "". As plain text: marks of headings and
/// of code are taken off. Expects a command that the text has.
std::string help_text(std::string_view command);

/// The few lines for a command line without a command.
std::string short_help_text();

}  // namespace tri::app
