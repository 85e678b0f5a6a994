#include "app/gui/demo.hpp"

#include "app/gui/keys.hpp"
#include "sim/error.hpp"
#include "sim/suggest.hpp"

namespace tri::app::gui {
namespace {

constexpr double kSceneSeconds = 45, kRestSeconds = 2;
constexpr float kTurn = 0.06f;  // radians a second: slow enough to read beside it

}  // namespace

const std::vector<std::string>& Demo::names() {
  static const std::vector<std::string> kNames{"maps", "pairs"};
  return kNames;
}

Demo::Demo(const std::string& name, const std::string& scene) {
  if (name == "maps") {
    scenes_ = {"plummer:n=8192"};
  } else if (name == "pairs") {
    scenes_ = {"plummer:n=8192", "sphere-box:n=4096", "argon-droplet:n=2048,nu=0"};
  } else {
    throw ConfigError("demo: " + unknown_name("demonstration", name, names()));
  }
  if (!scene.empty()) scenes_ = {scene};
}

void Demo::next_map(const SessionModel& model, GuiState& state) {
  const auto& rows = shown_maps(model);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    map_ = (map_ + 1) % static_cast<u32>(rows.size());
    if (rows[map_].fits()) break;
  }
  state.domain.map = map_;
  state.domain.launched = 0;
  state.domain.running = true;
  rest_seconds_ = 0;
}

void Demo::frame(double seconds, const SessionModel& model, GuiState& state, Requests& requests) {
  scene_seconds_ += seconds;
  if (!begun_) {
    begun_ = true;
    state.domain.shown = true;
    requests.push_back(ask::Compare{true});
    map_ = ~u32{0};
    next_map(model, state);
  }
  if (scenes_.size() > 1 && scene_seconds_ > kSceneSeconds) {
    scene_seconds_ = 0;
    scene_ = (scene_ + 1) % scenes_.size();
    requests.push_back(ask::Open{scenes_[scene_]});
    requests.push_back(ask::Compare{true});
  }
  if (state.camera.mode == render::CameraMode::orbit) {
    state.camera.pose.yaw += kTurn * static_cast<float>(seconds);
  }
  if (state.domain.running) return;
  rest_seconds_ += seconds;
  if (rest_seconds_ > kRestSeconds) next_map(model, state);
}

}  // namespace tri::app::gui
