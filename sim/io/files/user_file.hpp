#pragma once
/// Location of the user's files: of configuration, and those that can be made again.

#include <string>

namespace tri::io {

/// $XDG_CONFIG_HOME/triangulum/NAME, else ~/.config/triangulum/NAME; empty if neither variable is an absolute path (XDG
/// Base Directory Specification). The folder need not exist.
std::string user_file(const std::string& name);
/// The same with $XDG_CACHE_HOME, else ~/.cache.
std::string user_cache(const std::string& name);

}  // namespace tri::io
