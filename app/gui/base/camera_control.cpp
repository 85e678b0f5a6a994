#include "app/gui/base/camera_control.hpp"

#include <cmath>

namespace tri::app::gui {

void move_camera(render::Camera& camera, const CameraInput& in) {
  constexpr float kTurn = 3.14159265f;  // across the height of the scene: half round
  constexpr float kClick = 0.88f;
  if (in.turns) {
    camera.turn(-in.dx / in.height * kTurn, in.dy / in.height * kTurn, in.seconds);
  } else if (in.pans) {
    camera.pan(-in.dx / in.width, in.dy / in.height, in.width / in.height);
    camera.stop();
  }
  if (in.scroll != 0) camera.zoom(std::pow(kClick, in.scroll));
  camera.drift(in.seconds, in.turns || in.pans);
  if (camera.mode == render::CameraMode::fly && (in.right != 0 || in.up != 0 || in.forward != 0)) {
    camera.fly(in.right, in.up, in.forward, in.seconds);
  }
}

std::optional<std::array<float, 2>> scene_click(const Release& release, const Rect& scene, float scale) {
  const float shake = 4 * scale, x = release.x - scene.x, y = release.y - scene.y;
  if (release.moved > shake * shake || x < 0 || y < 0 || x >= scene.w || y >= scene.h) return std::nullopt;
  return std::array{x, y};
}

void keep_view(GuiState& state, std::size_t number) {
  state.bookmarks[number] = Bookmark{state.camera.pose, state.camera.mode};
}

bool go_to_view(GuiState& state, std::size_t number) {
  const auto& kept = state.bookmarks[number];
  if (!kept) return false;
  state.camera.pose = kept->pose, state.camera.mode = kept->mode;
  state.camera.stop();
  state.follow = false;
  return true;
}

}  // namespace tri::app::gui
