#pragma once
/// What the commands need of the window. tri_gui provides it (a build without a window, stubs that say so), main()
/// hands it to run_command(): no command links the window.

#include <string>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/error.hpp"

namespace tri::app {

struct GuiCommands {
  /// Whether this build has a window and the machine a display, and if not, why (a phrase without a full stop).
  Availability (*available)();
  /// Whether the display that available() goes by answers, and if not, why. Connects to it and disconnects.
  Availability (*display_answers)();
  /// Whether pictures can be made without a window; `renderer` becomes the name that OpenGL gives itself. Makes a
  /// context and destroys it.
  Availability (*offscreen)(std::string& renderer);
  /// `view` and `demo`: opens the app; returns the exit code. Throws Error with ExitCode::no_display and the reason
  /// when there is no display.
  int (*view)(const RunConfig& config, Console& console);
  /// `render`: frames of a simulation without a window; returns the exit code. Throws Error with ExitCode::no_display
  /// where no OpenGL can be had.
  int (*render)(const RunConfig& config, Console& console);
};

}  // namespace tri::app
