#pragma once
/// The camera. Numbers only: no window, no GL.
///
/// Orbit: the eye rotates about a target, with inertia. Fly: the eye moves through the scene. To follow a body, orbit
/// and move the target. Lengths are scene units, angles radians, times seconds.

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

#include "sim/base/platform.hpp"

namespace tri::render {

/// Axis-aligned box of the scene; low <= high.
struct Bounds {
  glm::vec3 low{-1}, high{1};
};

enum class CameraMode : u8 { orbit, fly };

/// The complete state of a view, as stored in a bookmark.
struct CameraPose {
  glm::vec3 target{0};
  float distance = 5;  ///< > 0, eye to target
  float yaw = 0.6f;    ///< about Camera::up
  float pitch = 0.4f;  ///< above the plane across it, within +-89 degrees
  bool operator==(const CameraPose&) const = default;
};

class Camera {
 public:
  CameraMode mode = CameraMode::orbit;
  CameraPose pose;
  float field_of_view = 0.8f;  ///< vertical, radians
  glm::vec3 up{0, 0, 1};       ///< unit vector that points upwards in the picture

  /// Rotates by the angles of a pointer drag over `seconds`; drift() continues the rotation.
  void turn(float yaw, float pitch, float seconds);
  /// Continues the last turn() with inertia; call once per frame. `held`: the pointer is down, no drift.
  void drift(float seconds, bool held);
  void stop() { yaw_speed_ = pitch_speed_ = 0; }
  /// Moves target and eye parallel to the view plane: (1, 0) is the width of the view at the target.
  void pan(float right, float up, float aspect);
  /// Multiplies the distance by a factor > 0.
  void zoom(float factor);
  /// Moves through the scene; speeds in distances to the target per second.
  void fly(float right, float up, float forward, float seconds);
  /// Fits the box into the view in any orientation; aspect = width / height.
  void fit(const Bounds& bounds, float aspect);

  glm::vec3 eye() const;
  glm::vec3 forward() const;  ///< unit vector
  glm::mat4 view() const;
  /// Reversed depth without a far plane: 1 at the near plane, 0 at infinity.
  glm::mat4 projection(float aspect) const;

 private:
  void clamp_pitch();
  float yaw_speed_ = 0, pitch_speed_ = 0;  ///< radians per second
};

}  // namespace tri::render
