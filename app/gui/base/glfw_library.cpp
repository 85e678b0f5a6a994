#include "app/gui/base/glfw_library.hpp"

#include <dlfcn.h>

namespace tri::app::gui {
namespace {

constexpr const char* kGlfw = "libglfw.so.3";

void* library() {
  static void* const handle = dlopen(kGlfw, RTLD_NOW | RTLD_LOCAL);
  return handle;
}

}  // namespace

Availability glfw_found() {
  if (library() != nullptr) return {true, ""};
  return {false, std::string(kGlfw) + " was not found; install GLFW (on Debian and Ubuntu: apt install libglfw3)"};
}

void* glfw_symbol(const char* name) { return library() == nullptr ? nullptr : dlsym(library(), name); }

}  // namespace tri::app::gui
