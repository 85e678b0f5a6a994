#include "sim/base/module_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace tri {

void* open_module(const char* name, const char* cure, bool global, std::string& why_not) {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& path : {folder / name, folder / "../lib/triangulum/modules" / name}) {
    if (!std::filesystem::exists(path, none)) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL))) return handle;
    why_not = dlerror();
    return nullptr;
  }
  why_not = fmt::format("{} is missing; {} and build again", name, cure);
  return nullptr;
}

}  // namespace tri
