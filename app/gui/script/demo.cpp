#include "app/gui/script/demo.hpp"

#include "app/gui/base/keys.hpp"
#include "app/gui/base/view_defaults.hpp"
#include "app/gui/views/bottom_panes.hpp"

namespace tri::app::gui {
namespace {

constexpr double kRestSeconds = 2;
constexpr double kFractalSeconds = 5;  // per map of the automaton
constexpr double kStopPatience = 3;    // seconds, with a scene that could not be opened or diverged
constexpr float kTurn = 0.06f;         // radians per second

void colour_by(const char* name, const SessionModel& model, GuiState& state) {
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto quantity = static_cast<render::Quantity>(k);
    if (to_string(quantity) == name && can_colour(quantity, model).ok) state.view.style.quantity = quantity;
  }
}

}  // namespace

void Demo::next_map(const SessionModel& model, GuiState& state) {
  const auto& rows = shown_maps(model);
  if (rows.empty()) return;
  map_ = static_cast<u32>(next_fitting(rows, map_ ? *map_ : rows.size() - 1));
  state.panes.domain.map = map_;
  state.panes.domain.launched = 0;
  state.panes.domain.running = true;
  rest_seconds_ = 0;
}

/// Requests the scene, unless it is open already.
void Demo::begin_stop(const SessionModel& model, GuiState& state, Requests& requests) {
  stop_seconds_ = 0;
  arrived_ = false;
  state.overlay.caption.clear();
  if (begun_ || opens_) {
    requests.push_back(ask::Open{stops_[stop_].scene});
  } else {
    arrive(model, state, requests);
  }
  begun_ = true;
}

/// The scene is open: sets up the view of it.
void Demo::arrive(const SessionModel& model, GuiState& state, Requests& requests) {
  const DemoStop& stop = stops_[stop_];
  arrived_ = true;
  state.overlay.caption = stop.caption;
  state.panes.shown = false;
  show_pane(stop.view, state.panes);
  if (*stop.automaton != '\0') state.panes.fractal.scene = stop.automaton, state.panes.fractal.running = true;
  const std::string& wanted = model.scene.view.colour;  // of the scene; that of the stop has priority
  colour_by(*stop.colour != '\0' ? stop.colour : wanted.empty() ? "speed" : wanted.c_str(), model, state);
  requests.push_back(stop.compare ? Request{ask::Compare{true}} : Request{ask::Run{true}});
  map_.reset();
  next_map(model, state);
}

/// The automaton continues with the next map.
void Demo::next_fractal_map(GuiState& state) {
  const u32 next = (static_cast<u32>(state.panes.fractal.work.map) + 1) % kGasketMapCount;
  state.panes.fractal.work.map = static_cast<GasketMapId>(next);
  fractal_seconds_ = 0;
}

bool Demo::is_over(const SessionModel& model) const {
  if (stops_.size() == 1) return model.broken && stop_seconds_ > kStopPatience;
  return stop_seconds_ > (arrived_ && !model.broken ? stops_[stop_].seconds : kStopPatience);
}

void Demo::frame(double seconds, const SessionModel& model, GuiState& state, Requests& requests) {
  stop_seconds_ += seconds;
  if (!begun_) {
    begin_stop(model, state, requests);
  } else if (!arrived_ && model.spec == stops_[stop_].scene) {
    arrive(model, state, requests);
  } else if (is_over(model)) {
    stop_ = (stop_ + 1) % stops_.size();
    begin_stop(model, state, requests);
  }
  if (state.view.camera.mode == render::CameraMode::orbit) {
    state.view.camera.pose.yaw += kTurn * static_cast<float>(seconds);
  }
  fractal_seconds_ += seconds;
  const bool fractal = arrived_ && *stops_[stop_].automaton != '\0';
  if (fractal && fractal_seconds_ > kFractalSeconds) next_fractal_map(state);
  if (state.panes.domain.running) return;
  rest_seconds_ += seconds;
  if (rest_seconds_ > kRestSeconds) next_map(model, state);
}

}  // namespace tri::app::gui
