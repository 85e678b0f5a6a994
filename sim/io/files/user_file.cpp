#include "sim/io/files/user_file.hpp"

#include <cstdlib>

namespace tri::io {

std::string user_file(const std::string& name) {
  const auto absolute = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '/' ? std::string(value) : std::string();
  };
  std::string config = absolute("XDG_CONFIG_HOME");
  if (const std::string home = absolute("HOME"); config.empty() && !home.empty()) config = home + "/.config";
  return config.empty() ? config : config + "/triangulum/" + name;
}

}  // namespace tri::io
