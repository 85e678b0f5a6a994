// What the commands need from the window.

#include <cstdlib>

#include "app/gui/render_runner.hpp"
#include "app/gui/view_app.hpp"
#include "app/support/commands.hpp"
#include "render/offscreen.hpp"

namespace tri::app {
namespace {

Availability available() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return {true, ""};
  }
  return {false, "there is no display"};
}

Availability offscreen(std::string& renderer) {
  try {
    const render::Offscreen screen(16, 16);
    renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return {true, ""};
  } catch (const Error& error) {
    return {false, error.what()};
  }
}

int view(const RunConfig& config, Console& console) {
  if (!available()) {
    throw Error(ExitCode::no_display,
                "view: there is no display, so no window can be opened. Use triangulum run to simulate and triangulum "
                "bench to compare the maps.");
  }
  gui::ViewApp app(config, console);
  return app.run();
}

int render_frames(const RunConfig& config, Console& console) { return gui::RenderRun(config, console).run(); }

}  // namespace

GuiCommands gui_commands() { return {available, gui::try_display, offscreen, view, render_frames}; }

}  // namespace tri::app
