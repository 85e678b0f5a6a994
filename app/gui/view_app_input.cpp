// What the window hears: events, and how long to wait for them; keys, pointer and dropped files.

#include <fmt/format.h>
#include <GLFW/glfw3.h>

#include <algorithm>
#include <string_view>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/base/keys.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/camera_control.hpp"
#include "app/gui/view_app.hpp"
#include "app/support/interrupt.hpp"
#include "sim/base/clock.hpp"

namespace tri::app::gui {
namespace {

constexpr double kIdleWait = 0.05;  // seconds that an idle frame waits for input
constexpr double kStillWait = 0.5;  // seconds between two looks at signals where nothing changes
constexpr double kSettle = 0.9;     // seconds after an event in which panels and exposure settle

/// Whether a text field has the keyboard. ImGui's own answer is that of the frame before, in which a field may have
/// been left that no longer wants the next key.
bool types() { return ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive(); }

/// The left button over the scene, unless ImGui uses it. A press and a release are where they were, not where the
/// pointer is when a frame sees them.
Pointer pointer_over(const Rect& scene, const LeftButton& left) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool pressed = io.MouseClicked[0], down = io.MouseDown[0];
  const Pixels at = pressed ? left.pressed : down ? Pixels{io.MousePos.x, io.MousePos.y} : left.released;
  const Pixels in_scene{at[0] - scene.x, at[1] - scene.y};
  const bool inside = in_scene[0] >= 0 && in_scene[1] >= 0 && in_scene[0] < scene.w && in_scene[1] < scene.h;
  return {in_scene, pressed && inside && !io.WantCaptureMouse, down, left.shift};
}

/// The camera's input from mouse and keys, unless ImGui or an open dialog uses them.
CameraInput camera_input(const Window& window, const Rect& scene, bool dialog, float scroll, double seconds,
                         bool tool) {
  const ImGuiIO& io = ImGui::GetIO();
  CameraInput input;
  input.seconds = static_cast<float>(std::min(seconds, 0.1));
  input.width = std::max(1.0f, scene.w), input.height = std::max(1.0f, scene.h);
  if (!io.WantCaptureMouse) {
    input.dx = io.MouseDelta.x, input.dy = io.MouseDelta.y;
    input.turns = io.MouseDown[0] && !tool;
    input.pans = io.MouseDown[1] || io.MouseDown[2];
    input.scroll = scroll;
  }
  if (!types() && !dialog) {
    const auto pressed = [&](int key) { return window.is_down(key) ? 1.0f : 0.0f; };
    input.forward = pressed(GLFW_KEY_W) - pressed(GLFW_KEY_S);
    input.right = pressed(GLFW_KEY_D) - pressed(GLFW_KEY_A);
    input.up = pressed(GLFW_KEY_E) - pressed(GLFW_KEY_Q);
  }
  return input;
}

}  // namespace

bool ViewApp::is_idle() const {
  const PaneChoices& panes = state_.panes;
  return !is_measured(config_.view) && !session_.model().running && requests_.empty() &&
         state_.frames.costs.size() > 10 && !panes.domain.running && !panes.domain.sweeps && !state_.page.sweeps &&
         !session_.busy() && !session_.asked_for_steps() && !film_.running() && !second_.busy() &&
         !(panes.shown && (panes.fractal.running || panes.automaton.running));
}

/// Whether something moves although no event comes: a caret, a notice on its way out, captions, a benchmark,
/// diagnostics that are due later.
bool ViewApp::moves() const {
  const auto& seen = session_.model().inspected;
  const bool late = !session_.diagnosed() || (state_.view.selected && (!seen || seen->step != session_.model().steps));
  const PaneChoices& panes = state_.panes;
  const bool distances = panes.shown && std::string_view(pane_rows()[panes.current].name) == "distances";
  return late || distances || ImGui::GetIO().WantTextInput || !state_.overlay.toast.text.empty() ||
         !state_.overlay.demo.empty() || state_.gallery.pending > 0 || bench_pending(state_.bench) ||
         race_pending(state_.race);
}

/// The events of the next frame. While nothing moves there is no next frame until something happens; an idle window
/// with something that moves, or that settles after an event or a movement, is drawn some times a second.
Events ViewApp::wait_for_events() {
  Window& window = surface_.window();
  if (!is_idle()) {
    loop_.active = clock_s();
    return window.poll(0);
  }
  for (;;) {
    if (moves()) loop_.active = clock_s();
    const bool still = clock_s() - loop_.active > kSettle;
    Events events = window.poll(still ? kStillWait : kIdleWait);
    if (events.any) loop_.active = clock_s();
    if (!still || events.any || window.should_close() || interrupt_flag().load()) return events;
  }
}

void ViewApp::take_input() {
  const Events events = wait_for_events();
  const double now = clock_s();
  loop_.frame_seconds = loop_.time > 0 ? now - loop_.time : 0;
  loop_.time = now;
  const ImGuiIO& io = ImGui::GetIO();
  for (const KeyPress& key : events.keys) {
    if (!types() || state_.files.browser.shown() || state_.palette.shown)
      on_key(key, session_.model(), state_, requests_);
  }
  // A click ends with its release: until then the card of the tour below the hints stays where it was pressed.
  if (!events.keys.empty() || io.MouseReleased[0] || io.MouseReleased[1]) state_.overlay.hints = false;
  if (!events.dropped.empty()) {
    const std::string& first = state_.pending.open = events.dropped.front();
    const std::size_t count = events.dropped.size();
    if (count > 1) session_.note(fmt::format("{} files were dropped; the first is opened: {}.", count, first), false);
  }
  const Rect scene = first_place();
  const bool tool = take_pointer(state_.touch, pointer_over(scene, surface_.window().left_button()));
  const render::CameraPose pose = state_.view.camera.pose;
  move_camera(state_.view.camera,
              camera_input(surface_.window(), scene, state_.files.browser.shown() || state_.palette.shown,
                           events.scroll, loop_.frame_seconds, tool));
  if (state_.view.camera.pose != pose) loop_.active = now, state_.view.on_path = false;
  if (io.MouseReleased[0] && !io.WantCaptureMouse && !tool) {
    const Release release{io.MousePos.x, io.MousePos.y, io.MouseDragMaxDistanceSqr[0]};
    if (const auto at = scene_click(release, scene, state_.panels.scale)) state_.pending.pick = at;
  }
}

}  // namespace tri::app::gui
