#include "app/gui/camera_control.hpp"

#include <cmath>

#include "app/gui/base/scene_view.hpp"

namespace tri::app::gui {

void move_camera(render::Camera& camera, const CameraInput& in) {
  constexpr float kTurn = 3.14159265f;  // half a turn across the height of the scene
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

void SceneView::save_bookmark(std::size_t number) { bookmarks[number] = Bookmark{camera.pose, camera.mode}; }

bool SceneView::restore_bookmark(std::size_t number) {
  const auto& saved = bookmarks[number];
  if (!saved) return false;
  camera.pose = saved->pose, camera.mode = saved->mode;
  camera.stop();
  follow = false;
  return true;
}

}  // namespace tri::app::gui
