#pragma once
/// GLFW, opened when a window is: the program starts, and runs all but the window, where neither GLFW nor X is
/// installed. The build writes its functions (cmake/write_glfw_calls.cmake). Any thread.

#include <dlfcn.h>

#include "sim/base/error.hpp"

namespace tri::app::gui {

/// A function of the library; nullptr where there is none.
inline void* glfw_symbol(const char* name) {
  static void* const library = dlopen("libglfw.so.3", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, name);
}

/// Ok, or one sentence without a full stop that says what to install.
inline Availability glfw_found() {
  if (glfw_symbol("glfwInit") != nullptr) return {true, ""};
  return {false, "libglfw.so.3 was not found; install GLFW (on Debian and Ubuntu: apt install libglfw3)"};
}

}  // namespace tri::app::gui
