#pragma once
/// From pointer and keys over the scene to motion of the camera. Pure.

#include <array>
#include <optional>

#include "app/gui/base/layout.hpp"
#include "render/camera.hpp"

namespace tri::app::gui {

/// Input over the scene during one frame.
struct CameraInput {
  float seconds = 0;                     ///< since the last frame
  float dx = 0, dy = 0;                  ///< motion of the pointer in pixels, down > 0
  float scroll = 0;                      ///< clicks of the wheel, up > 0
  bool turns = false;                    ///< left button held
  bool pans = false;                     ///< right or middle button held
  float right = 0, up = 0, forward = 0;  ///< of the flight keys, -1 to 1
  float width = 1, height = 1;           ///< of the scene in pixels
};

void move_camera(render::Camera& camera, const CameraInput& input);

/// A release of the left button.
struct Release {
  float x = 0, y = 0;  ///< in pixels of the window
  float moved = 0;     ///< largest distance from where it was pressed, in pixels, squared
};
/// Position of a click in the scene, in pixels from its upper left corner; none where the release ended a drag or lies
/// outside. scale: of the panels; tolerates as much more shake.
std::optional<std::array<float, 2>> scene_click(const Release& release, const Rect& scene, float scale);

}  // namespace tri::app::gui
