#pragma once
/// Demonstrations that run by themselves: all maps take turns on the bodies, while the domain view shows one map after
/// another, block by block; `pairs` also goes from scene to scene. Logic only; the app calls it once a frame.

#include <string>
#include <vector>

#include "app/gui/gui_state.hpp"
#include "app/session_model.hpp"
#include "app/session_request.hpp"

namespace tri::app::gui {

class Demo {
 public:
  /// Names of the demonstrations: "maps", "pairs".
  static const std::vector<std::string>& names();
  /// scene: what the user named instead of the demonstration's own; empty = none. Throws ConfigError for a name that is
  /// none.
  Demo(const std::string& name, const std::string& scene);

  /// The scene to open with.
  const std::string& first_scene() const { return scenes_.front(); }
  /// seconds: since the last frame.
  void frame(double seconds, const SessionModel& model, GuiState& state, Requests& requests);

 private:
  void next_map(const SessionModel& model, GuiState& state);

  std::vector<std::string> scenes_;
  std::size_t scene_ = 0;
  double scene_seconds_ = 0, rest_seconds_ = 0;
  u32 map_ = 0;
  bool begun_ = false;
};

}  // namespace tri::app::gui
