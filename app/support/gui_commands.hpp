#pragma once
/// What the commands need from the window. tri_gui provides it (stubs in a build without a window), main() passes it to
/// run_command(): no command links the window.

#include <string>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/error.hpp"

namespace tri::app {

struct GuiCommands {
  /// Whether this build has a window and the machine a display; if not, the reason (a phrase without a full stop).
  Availability (*available)();
  /// Whether the display that available() relies on responds; if not, the reason. Connects to it and disconnects.
  Availability (*display_answers)();
  /// Whether frames can be rendered without a window; sets `renderer` to OpenGL's name for it. Creates and destroys a
  /// context.
  Availability (*offscreen)(std::string& renderer);
  /// `view` and `demo`: opens the app; returns the exit code. Throws Error with ExitCode::no_display and the reason if
  /// there is no display.
  int (*view)(const RunConfig& config, Console& console);
  /// `render`: renders frames of a simulation without a window; returns the exit code. Throws Error with
  /// ExitCode::no_display if OpenGL is not available.
  int (*render)(const RunConfig& config, Console& console);
};

}  // namespace tri::app
