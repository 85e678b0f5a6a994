#pragma once
/// GLFW, opened when a window is: the program starts, and runs all but the window, where neither GLFW nor X is
/// installed. The build writes its functions (cmake/write_glfw_calls.cmake). Any thread.

#include "sim/base/error.hpp"

namespace tri::app::gui {

/// Ok, or one sentence without a full stop that says what to install.
Availability glfw_found();
/// A function of the library; nullptr where there is none.
void* glfw_symbol(const char* name);

}  // namespace tri::app::gui
