// Mouse control of the camera: a dragged point follows the pointer at any window size.

#include "app/gui/camera_control.hpp"

#include <gtest/gtest.h>

#include <glm/vec4.hpp>

namespace tri::app::gui {
namespace {

float place_x(const render::Camera& c, glm::vec3 p, float aspect) {
  const glm::vec4 clip = c.projection(aspect) * (c.view() * glm::vec4(p, 1));
  return clip.x / clip.w;
}

TEST(CameraControl, TheNearSideFollowsTheDrag) {
  render::Camera c;
  c.pose = {{0, 0, 0}, 5, 0, 0};
  const glm::vec3 near_side = c.eye() + c.forward() * 4.0f;
  CameraInput in{.seconds = 0.02f, .dx = 10, .turns = true, .width = 800, .height = 600};
  move_camera(c, in);
  EXPECT_GT(place_x(c, near_side, 800.0f / 600), 0.005f) << "to the right, as the pointer";
}

TEST(CameraControl, PanKeepsThePointUnderThePointer) {
  render::Camera c;
  c.pose = {{0, 0, 0}, 5, 0.4f, 0.3f};
  CameraInput in{.seconds = 0.02f, .dx = 100, .dy = 0, .pans = true, .width = 800, .height = 600};
  move_camera(c, in);
  EXPECT_NEAR(place_x(c, {0, 0, 0}, 800.0f / 600), 2 * 100.0f / 800, 1e-3);
}

TEST(CameraControl, TheWheelZoomsInAndOut) {
  render::Camera c;
  const float before = c.pose.distance;
  move_camera(c, {.seconds = 0.02f, .scroll = 3});
  EXPECT_LT(c.pose.distance, before);
  move_camera(c, {.seconds = 0.02f, .scroll = -3});
  EXPECT_NEAR(c.pose.distance, before, 1e-4);
}

TEST(CameraControl, KeysFlyOnlyInFlight) {
  render::Camera c;
  const CameraInput ahead{.seconds = 0.1f, .forward = 1};
  const glm::vec3 before = c.pose.target;
  move_camera(c, ahead);
  EXPECT_EQ(c.pose.target, before);
  c.mode = render::CameraMode::fly;
  move_camera(c, ahead);
  EXPECT_NE(c.pose.target, before);
}

TEST(CameraControl, AClickIsAReleaseCloseToThePress) {
  const Rect scene{288, 10, 600, 400};
  const auto at = scene_click({300, 60, 0}, scene, 1);
  ASSERT_TRUE(at);
  EXPECT_EQ(*at, (std::array{12.0f, 50.0f}));
  EXPECT_TRUE(scene_click({300, 60, 15}, scene, 1)) << "a hand shakes";
  EXPECT_FALSE(scene_click({300, 60, 17}, scene, 1)) << "a drag";
  EXPECT_TRUE(scene_click({300, 60, 17}, scene, 2)) << "of larger pixels";
  for (const auto& [x, y] : {std::array{287.0f, 60.0f}, {888.0f, 60.0f}, {300.0f, 9.0f}, {300.0f, 410.0f}}) {
    EXPECT_FALSE(scene_click({x, y, 0}, scene, 1)) << x << " " << y;
  }
}

}  // namespace
}  // namespace tri::app::gui
