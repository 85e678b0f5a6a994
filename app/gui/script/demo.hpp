#pragma once
/// A demonstration of demo_table.hpp. It runs by itself while the window is open, from stop to stop and over again, and
/// the domain view shows one map after another, block by block. Logic only; the app calls it once a frame.

#include <optional>
#include <string>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"
#include "app/views/demo_table.hpp"

namespace tri::app::gui {

class Demo {
 public:
  /// scene: replaces the demonstration's own; empty = none. opens: whether the first scene is still to be opened.
  /// Throws ConfigError for an unknown name.
  Demo(const std::string& name, const std::string& scene, bool opens = false)
      : stops_(demo_stops(name, scene)), opens_(opens) {}

  /// The scene to open with.
  const std::string& first_scene() const { return stops_.front().scene; }
  /// seconds: since the last frame.
  void frame(double seconds, const SessionModel& model, GuiState& state, Requests& requests);

 private:
  void begin_stop(const SessionModel& model, GuiState& state, Requests& requests);
  void arrive(const SessionModel& model, GuiState& state, Requests& requests);
  bool is_over(const SessionModel& model) const;
  void next_map(const SessionModel& model, GuiState& state);
  void next_fractal_map(GuiState& state);

  std::vector<DemoStop> stops_;
  std::size_t stop_ = 0;
  double stop_seconds_ = 0, rest_seconds_ = 0, fractal_seconds_ = 0;
  std::optional<u32> map_;  ///< shown last; none: the first comes
  bool opens_, begun_ = false, arrived_ = false;
};

}  // namespace tri::app::gui
