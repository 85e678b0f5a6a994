#pragma once
/// Where the program keeps what belongs to its user from one day to the next.

#include <string>

namespace tri::io {

/// $XDG_CONFIG_HOME/triangulum/NAME, or ~/.config/triangulum/NAME; empty where neither is known. What is not an
/// absolute path counts as unknown (XDG Base Directory Specification). The folder need not be there.
std::string user_file(const std::string& name);

}  // namespace tri::io
