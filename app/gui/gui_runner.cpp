// The door to the window, in a build that has one.

#include "app/gui/gui_runner.hpp"

#include <cstdlib>

#include "app/gui/render_runner.hpp"
#include "app/gui/view_app.hpp"
#include "render/offscreen.hpp"

namespace tri::app {

Availability gui_available() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return {true, ""};
  }
  return {false, "there is no display"};
}

Availability display_answers() { return gui::try_display(); }

Availability offscreen_available(std::string& renderer) {
  try {
    const render::Offscreen screen(16, 16);
    renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return {true, ""};
  } catch (const Error& error) {
    return {false, error.what()};
  }
}

int run_gui(const RunConfig& config, Console& console) {
  if (!gui_available()) {
    throw Error(ExitCode::no_display,
                "view: there is no display, so no window can be opened. Use triangulum run to simulate and triangulum "
                "bench to compare the maps.");
  }
  gui::ViewApp app(config, console);
  return app.run();
}

int run_render(const RunConfig& config, Console& console) { return gui::RenderRun(config, console).run(); }

}  // namespace tri::app
