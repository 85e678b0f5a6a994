#pragma once
/// The help: app/help.md, used for the documentation and for --help.

#include <string>
#include <string_view>

namespace tri::app {

/// The section of a command followed by the common options; the whole text for "". Plain text, without Markdown.
/// Expects a known command.
std::string help_text(std::string_view command);

/// The short text for a command line without a command.
std::string short_help_text();

}  // namespace tri::app
