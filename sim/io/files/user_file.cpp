#include "sim/io/files/user_file.hpp"

#include <cstdlib>

namespace tri::io {
namespace {

std::string user_folder(const char* variable, const char* below_home) {
  const auto absolute = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '/' ? std::string(value) : std::string();
  };
  std::string folder = absolute(variable);
  if (const std::string home = absolute("HOME"); folder.empty() && !home.empty()) folder = home + below_home;
  return folder.empty() ? folder : folder + "/triangulum/";
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() ? folder : folder + name;
}

}  // namespace

std::string user_file(const std::string& name) { return in_folder(user_folder("XDG_CONFIG_HOME", "/.config"), name); }
std::string user_cache(const std::string& name) { return in_folder(user_folder("XDG_CACHE_HOME", "/.cache"), name); }

}  // namespace tri::io
