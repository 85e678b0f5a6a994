// Stubs for builds without a window: each says what is missing.

#include "app/support/run_config.hpp"

namespace tri::app {
namespace {

Availability no_window() { return {false, "this build has no window"}; }

Availability no_opengl(std::string&) { return {false, "this build has no OpenGL"}; }

int view(const RunConfig&, Console&) {
  throw Error(
      ExitCode::no_display,
      "view: this build has no window. Use triangulum run to simulate and triangulum bench to compare the maps.");
}

int render_frames(const RunConfig&, Console&) {
  throw Error(ExitCode::no_display,
              "render: this build has no OpenGL. Build it with the packages of docs/install.md, or use triangulum run "
              "to simulate.");
}

}  // namespace

GuiCommands gui_commands() { return {no_window, no_window, no_opengl, view, render_frames}; }

}  // namespace tri::app
