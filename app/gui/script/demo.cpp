#include "app/gui/script/demo.hpp"

#include "app/gui/base/keys.hpp"
#include "app/gui/base/view_defaults.hpp"
#include "app/gui/views/bottom_panes.hpp"

namespace tri::app::gui {
namespace {

constexpr double kRestSeconds = 2;
constexpr double kFractalSeconds = 5;  // of a map of the automaton
constexpr double kPatience = 3;        // seconds, with a scene that could not be opened or has broken
constexpr float kTurn = 0.06f;         // radians a second: slow enough to read beside it

void show_view(const char* name, GuiState& state) {
  state.domain.shown = false;
  show_lower_view(name, state);
}

void colour_by(const char* name, const SessionModel& model, GuiState& state) {
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto quantity = static_cast<render::Quantity>(k);
    if (to_string(quantity) == name && can_colour(quantity, model).ok) state.style.quantity = quantity;
  }
}

}  // namespace

void Demo::next_map(const SessionModel& model, GuiState& state) {
  const auto& rows = shown_maps(model);
  if (rows.empty()) return;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    map_ = (map_ + 1) % static_cast<u32>(rows.size());
    if (rows[map_].fits()) break;
  }
  state.domain.map = map_;
  state.domain.launched = 0;
  state.domain.running = true;
  rest_seconds_ = 0;
}

/// Asks for the scene, where it is not there already.
void Demo::begin_stop(const SessionModel& model, GuiState& state, Requests& requests) {
  stop_seconds_ = 0;
  arrived_ = false;
  state.caption.clear();
  if (begun_ || opens_) {
    requests.push_back(ask::Open{stops_[stop_].scene});
  } else {
    arrive(model, state, requests);
  }
  begun_ = true;
}

/// The scene is open: how it is looked at.
void Demo::arrive(const SessionModel& model, GuiState& state, Requests& requests) {
  const DemoStop& stop = stops_[stop_];
  arrived_ = true;
  state.caption = stop.caption;
  show_view(stop.view, state);
  if (*stop.automaton != '\0') state.fractal.scene = stop.automaton, state.fractal.running = true;
  const std::string& wanted = model.scene.view.colour;  // by the scene; the stop's own goes before it
  colour_by(*stop.colour != '\0' ? stop.colour : wanted.empty() ? "speed" : wanted.c_str(), model, state);
  requests.push_back(stop.compare ? Request{ask::Compare{true}} : Request{ask::Run{true}});
  map_ = ~u32{0};
  next_map(model, state);
}

/// The automaton goes on as it is, by the next map.
void Demo::next_fractal_map(GuiState& state) {
  const u32 next = (static_cast<u32>(state.fractal.work.map) + 1) % kGasketMapCount;
  state.fractal.work.map = static_cast<GasketMapId>(next);
  fractal_seconds_ = 0;
}

bool Demo::is_over(const SessionModel& model) const {
  if (stops_.size() == 1) return model.broken && stop_seconds_ > kPatience;
  return stop_seconds_ > (arrived_ && !model.broken ? stops_[stop_].seconds : kPatience);
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
  if (state.camera.mode == render::CameraMode::orbit) {
    state.camera.pose.yaw += kTurn * static_cast<float>(seconds);
  }
  fractal_seconds_ += seconds;
  const bool fractal = arrived_ && *stops_[stop_].automaton != '\0';
  if (fractal && fractal_seconds_ > kFractalSeconds) next_fractal_map(state);
  if (state.domain.running) return;
  rest_seconds_ += seconds;
  if (rest_seconds_ > kRestSeconds) next_map(model, state);
}

}  // namespace tri::app::gui
