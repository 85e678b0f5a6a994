#include "render/camera.hpp"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/mat3x3.hpp>

namespace tri::render {
namespace {

constexpr float kMaxPitch = 1.5533f;  // 89 degrees: yaw is undefined at 90
constexpr float kStillSpeed = 1e-3f;
constexpr float kInertia = 0.25f;  // seconds until a speed has fallen to 1/e

/// The directions from which yaw and pitch are measured: two across `up`, and `up`. Those of z are x, y and z.
glm::mat3 frame_of(const glm::vec3& up) {
  const glm::vec3 beside = std::abs(up.z) > 0.999f ? glm::vec3(1, 0, 0) : glm::normalize(glm::cross(up, {0, 0, 1}));
  return {beside, glm::cross(up, beside), up};
}

}  // namespace

void Camera::clamp_pitch() { pose.pitch = std::clamp(pose.pitch, -kMaxPitch, kMaxPitch); }

void Camera::turn(float yaw, float pitch, float seconds) {
  pose.yaw = std::remainder(pose.yaw + yaw, 2 * 3.14159265f);
  pose.pitch += pitch;
  clamp_pitch();
  if (seconds > 0) yaw_speed_ = yaw / seconds, pitch_speed_ = pitch / seconds;
}

void Camera::drift(float seconds, bool held) {
  if (held || mode != CameraMode::orbit || std::hypot(yaw_speed_, pitch_speed_) < kStillSpeed) {
    if (!held) stop();
    return;
  }
  pose.yaw = std::remainder(pose.yaw + yaw_speed_ * seconds, 2 * 3.14159265f);
  pose.pitch += pitch_speed_ * seconds;
  clamp_pitch();
  const float decay = std::exp(-seconds / kInertia);
  yaw_speed_ *= decay, pitch_speed_ *= decay;
}

glm::vec3 Camera::forward() const {
  const glm::vec3 back(std::cos(pose.pitch) * std::cos(pose.yaw), std::cos(pose.pitch) * std::sin(pose.yaw),
                       std::sin(pose.pitch));
  return -(frame_of(up) * back);
}

glm::vec3 Camera::eye() const { return pose.target - pose.distance * forward(); }

void Camera::pan(float right, float up_part, float aspect) {
  const glm::vec3 side = glm::normalize(glm::cross(forward(), up));
  const float height = 2 * pose.distance * std::tan(field_of_view / 2);
  pose.target += side * (right * height * aspect) + glm::cross(side, forward()) * (up_part * height);
}

void Camera::zoom(float factor) { pose.distance = std::clamp(pose.distance * factor, 1e-6f, 1e12f); }

void Camera::fly(float right, float up_part, float ahead, float seconds) {
  const glm::vec3 side = glm::normalize(glm::cross(forward(), up));
  pose.target += (side * right + up * up_part + forward() * ahead) * (pose.distance * seconds);
}

void Camera::fit(const Bounds& bounds, float aspect) {
  pose.target = 0.5f * (bounds.low + bounds.high);
  const float radius = std::max(0.5f * glm::length(bounds.high - bounds.low), 1e-6f);
  const float half = field_of_view / 2;
  const float narrower = aspect < 1 ? std::atan(std::tan(half) * aspect) : half;
  pose.distance = radius / std::sin(narrower);
  stop();
}

glm::mat4 Camera::view() const {
  const glm::vec3 at = eye();
  return glm::lookAt(at, at + forward(), up);
}

glm::mat4 Camera::projection(float aspect) const {
  const float near = pose.distance * 1e-3f;
  const float f = 1 / std::tan(field_of_view / 2);
  glm::mat4 p(0);
  p[0][0] = f / aspect;
  p[1][1] = f;
  p[2][3] = -1;
  p[3][2] = near;  // depth = near / distance
  return p;
}

}  // namespace tri::render
