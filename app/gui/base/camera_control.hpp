#pragma once
/// Pointer and keys on the scene, as motions of the camera.

#include <array>
#include <optional>

#include "app/gui/base/gui_state.hpp"
#include "render/camera.hpp"

namespace tri::app::gui {

/// One frame of what the user does over the scene.
struct CameraInput {
  float seconds = 0;                     ///< since the last frame
  float dx = 0, dy = 0;                  ///< motion of the pointer in pixels, down > 0
  float scroll = 0;                      ///< clicks of the wheel
  bool turns = false;                    ///< left button held
  bool pans = false;                     ///< right or middle button held
  float right = 0, up = 0, forward = 0;  ///< keys of flight, -1 to 1
  float width = 1, height = 1;           ///< of the scene in pixels
};

void move_camera(render::Camera& camera, const CameraInput& input);

/// The left button let go over the scene.
struct Release {
  float x = 0, y = 0;  ///< in pixels of the window
  float moved = 0;     ///< pixels from where it went down, at most, squared
};
/// Where in the scene (pixels from its upper left corner) that was a click; nothing where it ended a drag or lies
/// outside. scale: of letters and panels, by which a hand may shake more.
std::optional<std::array<float, 2>> scene_click(const Release& release, const Rect& scene, float scale);

}  // namespace tri::app::gui
