// Which bodies are in view, and in which order.

#include "app/gui/views/distance_view.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace tri::app::gui {
namespace {

/// Looks from (0, 0, 10) to the origin; the picture is twice as wide as high.
render::Camera camera_above() {
  render::Camera camera;
  camera.pose.target = {0, 0, 0};
  camera.pose.yaw = 0, camera.pose.pitch = 0, camera.pose.distance = 10;
  return camera;
}

TEST(BodiesInView, AreThoseInsideTheViewport) {
  const render::Camera camera = camera_above();
  const glm::vec3 eye = camera.eye(), ahead = glm::normalize(camera.pose.target - eye);
  const float slope = std::tan(camera.field_of_view / 2);
  std::vector<Instance> bodies;
  for (u32 k = 0; k < 4000; ++k) {
    const auto at = [&](u32 by) { return 30 * std::sin(static_cast<float>(k * by)); };
    bodies.push_back({at(7), at(11), at(13), 0, 0, 0, 0, k});
  }
  const std::vector<u32> seen = bodies_in_view(bodies, camera, 2, 4000);
  std::vector<u32> plain;
  for (const Instance& b : bodies) {
    const glm::vec3 from_eye = glm::vec3(b.x, b.y, b.z) - eye;
    const float depth = glm::dot(from_eye, ahead);
    const glm::vec3 side = from_eye - depth * ahead;
    const glm::vec3 up(camera.view()[0][1], camera.view()[1][1], camera.view()[2][1]);
    const float high = glm::dot(side, up), wide = glm::length(side - high * up);
    if (depth > 0 && std::abs(high) <= slope * depth && wide <= 2 * slope * depth) plain.push_back(b.id);
  }
  EXPECT_GT(plain.size(), 100u);
  EXPECT_EQ(seen, plain);
  const std::vector<u32> some = bodies_in_view(bodies, camera, 2, 50);
  ASSERT_EQ(some.size(), 50u);
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(some[k], plain[k * plain.size() / 50]) << "evenly";
}

TEST(BodiesInView, SortedByDistanceFromTheirCentre) {
  const std::vector<Instance> bodies{{9, 0, 0, 0, 0, 0, 0, 0},
                                     {5, 0, 0, 0, 0, 0, 0, 1},
                                     {6, 0, 0, 0, 0, 0, 0, 2},
                                     {1, 0, 0, 0, 0, 0, 0, 3},
                                     {100, 0, 0, 0, 0, 0, 0, 4}};
  std::vector<u32> some{0, 1, 2, 3};  // in the middle of 5.25
  sort_by_centre(bodies, some);
  EXPECT_EQ(some, (std::vector<u32>{1, 2, 0, 3}));
  std::vector<u32> nobody;
  sort_by_centre(bodies, nobody);
  EXPECT_TRUE(nobody.empty());
}

}  // namespace
}  // namespace tri::app::gui
