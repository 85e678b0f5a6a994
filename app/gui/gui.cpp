// What the commands need from the window.

#include <cstdlib>
#include <functional>
#include <optional>

#include "app/gui/frame/capture.hpp"
#include "app/gui/render_runner.hpp"
#include "app/gui/view_app.hpp"
#include "app/support/commands.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/option_values.hpp"
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

/// What to say where Ctrl-C ends the program while it opens a scene or starts OpenGL.
std::function<void()> nothing_drawn(const RunConfig& config, Console& console) {
  return [&] { say_interrupted(console, config.common.json, kNothingWritten); };
}

int view(const RunConfig& config, Console& console) {
  if (!available()) {
    throw Error(ExitCode::no_display,
                "view: there is no display, so no window can be opened. Use triangulum run to simulate and triangulum "
                "bench to compare the maps.");
  }
  if (const std::string& film = config.view.record; !film.empty()) {
    gui::check_frame_target(frame_target("--record", film), film);
  }
  std::optional<InterruptDeadline> deadline(std::in_place, nothing_drawn(config, console));
  gui::ViewApp app(config, console);
  deadline.reset();
  const int code = app.run();
  deadline.emplace([] {});  // what the window leaves behind ends within it, too
  return code;
}

int render_frames(const RunConfig& config, Console& console) {
  std::optional<InterruptDeadline> deadline(std::in_place, nothing_drawn(config, console));
  gui::RenderRun render(config, console);
  deadline.reset();
  return render.run();
}

}  // namespace

GuiCommands gui_commands() { return {available, gui::try_display, offscreen, view, render_frames}; }

}  // namespace tri::app
