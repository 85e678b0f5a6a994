#pragma once
/// Location of the user's configuration files.

#include <string>

namespace tri::io {

/// $XDG_CONFIG_HOME/triangulum/NAME, else ~/.config/triangulum/NAME; empty if neither variable is an absolute path (XDG
/// Base Directory Specification). The folder need not exist.
std::string user_file(const std::string& name);

}  // namespace tri::io
