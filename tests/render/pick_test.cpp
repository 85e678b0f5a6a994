// Picking: the visible body at a pixel, against its projected position.

#include "render/pick.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/vec4.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace tri::render {
namespace {

struct PickTest : testing::Test {
  Camera camera = [] {
    Camera c;
    c.pose = {{0, 0, 0}, 10, 0, 0};  // camera at (10, 0, 0): y to the right, z up
    return c;
  }();
  BodyStyle style{.shape = BodyShape::spheres};
  int width = 640, height = 400;

  FrameView view() const { return {camera, width, height, 0.01f, std::nullopt, {}}; }
  std::optional<u32> at(const std::vector<Instance>& bodies, float x, float y) const {
    return pick(bodies, view(), style, x, y);
  }
  /// The position of a point of the scene in the picture, from the matrices that draw it.
  std::pair<float, float> pixel(float x, float y, float z) const {
    const float aspect = static_cast<float>(width) / static_cast<float>(height);
    const glm::vec4 p = camera.projection(aspect) * (camera.view() * glm::vec4(x, y, z, 1));
    return {(p.x / p.w + 1) / 2 * static_cast<float>(width), (1 - p.y / p.w) / 2 * static_cast<float>(height)};
  }
};

Instance picked_body(u32 id, float x, float y, float z, float radius) { return {x, y, z, radius, 0, 0, 1, id}; }

TEST_F(PickTest, EveryBodyIsFoundWhereItIsDrawn) {
  for (const BodyShape shape : {BodyShape::spheres, BodyShape::glow, BodyShape::points}) {
    style.shape = shape;
    for (const float yaw : {0.3f, 1.0f, -2.5f}) {
      camera.pose.yaw = yaw, camera.pose.pitch = yaw / 3;
      std::vector<Instance> bodies;
      for (u32 i = 0; i < 27; ++i) {
        const auto part = [i](u32 by) { return static_cast<float>(i / by % 3) - 1; };
        bodies.push_back(picked_body(100 + i, part(1), 1.1f * part(3), 0.9f * part(9), 0));
      }
      for (const Instance& b : bodies) {
        const auto [x, y] = pixel(b.x, b.y, b.z);
        EXPECT_EQ(at(bodies, x, y), b.id) << "yaw " << yaw << " body " << b.id;
      }
    }
  }
}

TEST_F(PickTest, TheForemostSphereWinsInEitherOrder) {
  const Instance front = picked_body(1, 2, 0, 0, 0.5f), back = picked_body(2, -2, 0, 0, 3);
  EXPECT_EQ(at({front, back}, 320, 200), 1u);
  EXPECT_EQ(at({back, front}, 320, 200), 1u);
  const auto [x, y] = pixel(-2, 2, 0);
  EXPECT_EQ(at({front, back}, x, y), 2u) << "beside the small one";
  // A sphere under the pointer precedes one beside it, whichever is nearer to the camera or first in the list.
  const Instance beside = picked_body(5, 5, 0.13f, 0, 0.1f);
  EXPECT_EQ(at({beside}, 320, 200), 5u);
  EXPECT_EQ(at({beside, back}, 320, 200), 2u);
  EXPECT_EQ(at({back, beside}, 320, 200), 2u);
  // A large sphere whose centre is farther away hides a small one inside it.
  EXPECT_EQ(at({picked_body(3, 0, 0, 0, 2), picked_body(4, 1, 0, 0, 0.1f)}, 320, 200), 3u);
}

TEST_F(PickTest, ADiscHasItsProjectedSizePlusAFewPixels) {
  const float radius = 1.5f;
  const float edge = std::tan(std::asin(radius / 10)) / std::tan(camera.field_of_view / 2) * 200;
  const std::vector<Instance> one{picked_body(7, 0, 0, 0, radius)};
  EXPECT_EQ(at(one, 320 + edge - 1, 200), 7u);
  EXPECT_EQ(pick(one, view(), style, 320 + edge - 0.5f, 200, 0), 7u);
  EXPECT_EQ(pick(one, view(), style, 320 + edge + 0.5f, 200, 0), std::nullopt);
  EXPECT_EQ(at(one, 320, 200 - edge - 6), 7u);
  EXPECT_EQ(at(one, 320, 200 + edge + 12), std::nullopt);
  style.size = 2;
  EXPECT_EQ(at(one, 320, 200 + edge + 12), 7u) << "its size as drawn";
}

TEST_F(PickTest, OfSeveralPointsTheNearestToThePointerWins) {
  style.shape = BodyShape::points;
  const auto [x, y] = pixel(0, 1, 0);
  const std::vector<Instance> two{picked_body(1, 5, 0.5f + 0.04f, 0, 1),
                                  picked_body(2, 0, 1, 0, 1)};  // both near one point
  EXPECT_EQ(at(two, x, y), 2u);
  EXPECT_EQ(at(two, x + 200, y), std::nullopt);
}

TEST_F(PickTest, InvisibleBodiesAreNotPicked) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Instance> none{picked_body(1, 14, 0, 0, 0.5f), picked_body(2, nan, 0, 0, 1),
                                   picked_body(3, 10, 0, 0, 5), picked_body(4, 9, 0, 0, 2)};
  EXPECT_EQ(at(none, 320, 200), std::nullopt) << "behind the camera, NaN, and twice around the camera";
  EXPECT_EQ(at({}, 320, 200), std::nullopt);
}

}  // namespace
}  // namespace tri::render
