// The window of a build without one: a closed door with the reason on it.

#include "app/gui/gui_runner.hpp"

namespace tri::app {

Availability gui_available() { return {false, "this build has no window"}; }

Availability display_answers() { return gui_available(); }

Availability offscreen_available(std::string&) { return {false, "this build has no OpenGL"}; }

int run_gui(const RunConfig&, Console&) {
  throw Error(
      ExitCode::no_display,
      "view: this build has no window. Use triangulum run to simulate and triangulum bench to compare the maps.");
}

int run_render(const RunConfig&, Console&) {
  throw Error(ExitCode::no_display,
              "render: this build has no OpenGL. Build it with the packages of docs/building.md, or use triangulum run "
              "to simulate.");
}

}  // namespace tri::app
