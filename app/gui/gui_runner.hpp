#pragma once
/// The door to the window. A build without one links gui_absent.cpp, so callers carry no #ifdef.

#include "app/console.hpp"
#include "app/run_config.hpp"
#include "sim/error.hpp"

namespace tri::app {

/// Whether this build has a window and the machine a display, and if not, why (a phrase without a full stop).
Availability gui_available();

/// Whether the display that gui_available() goes by answers, and if not, why. Asks it, and lets it go.
Availability display_answers();

/// Whether pictures can be made without a window; `renderer` becomes the name that OpenGL gives itself. Makes a context
/// and lets it go.
Availability offscreen_available(std::string& renderer);

/// Opens the app; returns the exit code. Throws Error with ExitCode::no_display and the reason when there is none.
int run_gui(const RunConfig& config, Console& console);

/// `render`: frames of a simulation without a window; returns the exit code. Throws Error with ExitCode::no_display
/// where no OpenGL can be had.
int run_render(const RunConfig& config, Console& console);

}  // namespace tri::app
