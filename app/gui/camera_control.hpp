#pragma once
/// Pointer and keys on the scene, as motions of the camera.

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

}  // namespace tri::app::gui
