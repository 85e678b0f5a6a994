#pragma once
/// Where the scene is seen from. Numbers only: no window, no GL. z is up.
///
/// Orbit: the eye turns about a target, with inertia. Fly: the eye goes through the scene. Follow is orbit about a
/// body: the caller moves the target. Lengths are scene units, angles radians, times seconds.

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

#include "sim/base/platform.hpp"

namespace tri::render {

/// Axis-parallel box of the scene; low <= high.
struct Bounds {
  glm::vec3 low{-1}, high{1};
};

enum class CameraMode : u8 { orbit, fly };

/// The whole state of a view: what a bookmark keeps.
struct CameraPose {
  glm::vec3 target{0};
  float distance = 5;  ///< > 0, eye to target
  float yaw = 0.6f;    ///< about z
  float pitch = 0.4f;  ///< above the xy plane, within +-89 degrees
};

class Camera {
 public:
  CameraMode mode = CameraMode::orbit;
  CameraPose pose;
  float field_of_view = 0.8f;  ///< vertical, radians

  /// Turns by an angle as of a dragged pointer; what is left of the speed goes on after it.
  void turn(float yaw, float pitch, float seconds);
  /// Turns on with the inertia of the last turn(); a call a frame. `held`: the pointer is down and nothing goes on.
  void drift(float seconds, bool held);
  void stop() { yaw_speed_ = pitch_speed_ = 0; }
  /// Moves target and eye across the view: (1, 0) is the whole width of the picture at the target.
  void pan(float right, float up, float aspect);
  /// Nearer by a factor > 0; 0.9 is a tenth nearer.
  void zoom(float factor);
  /// Moves through the scene, in units of the distance to the target a second.
  void fly(float right, float up, float forward, float seconds);
  /// Sees the whole box, whichever way it is turned, in a picture of this aspect (width / height).
  void fit(const Bounds& bounds, float aspect);

  glm::vec3 eye() const;
  glm::vec3 forward() const;  ///< unit vector
  glm::mat4 view() const;
  /// Depth runs from 0 at the far end of all things to 1 at the near plane (reversed, no far plane).
  glm::mat4 projection(float aspect) const;

 private:
  void clamp_pitch();
  float yaw_speed_ = 0, pitch_speed_ = 0;  ///< radians a second
};

}  // namespace tri::render
