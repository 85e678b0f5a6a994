// The camera: fit shows the whole box from every direction, inertia ends, depth is reversed.

#include "render/camera.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

namespace tri::render {
namespace {

glm::vec4 clip(const Camera& c, float aspect, glm::vec3 p) {
  return c.projection(aspect) * (c.view() * glm::vec4(p, 1));
}

TEST(Camera, FitShowsEveryCornerFromEveryDirection) {
  const Bounds box{{-3, 2, -40}, {5, 2.5f, 1}};
  for (const float aspect : {0.4f, 1.0f, 2.4f}) {
    for (float yaw = -3; yaw < 3; yaw += 0.7f) {
      for (const float pitch : {-1.5f, -0.3f, 0.9f}) {
        Camera c;
        c.pose.yaw = yaw, c.pose.pitch = pitch;
        c.fit(box, aspect);
        float widest = 0;
        for (int k = 0; k < 8; ++k) {
          const glm::vec4 p =
              clip(c, aspect,
                   {k & 1 ? box.low.x : box.high.x, k & 2 ? box.low.y : box.high.y, k & 4 ? box.low.z : box.high.z});
          ASSERT_GT(p.w, 0) << "behind the eye";
          widest = std::max({widest, std::abs(p.x / p.w), std::abs(p.y / p.w)});
        }
        EXPECT_LE(widest, 1) << aspect << " " << yaw << " " << pitch;
        EXPECT_GE(widest, 0.12) << "it fills a good part of the picture";
      }
    }
  }
}

TEST(Camera, FitOfOnePointIsFinite) {
  Camera c;
  c.fit({{1, 2, 3}, {1, 2, 3}}, 1.5f);
  EXPECT_GT(c.pose.distance, 0);
  EXPECT_EQ(c.pose.target, glm::vec3(1, 2, 3));
}

TEST(Camera, TheTargetIsInTheCentre) {
  Camera c;
  c.pose = {{1, -2, 3}, 7, 2.2f, -0.8f};
  const glm::vec4 p = clip(c, 1.3f, c.pose.target);
  EXPECT_NEAR(p.x / p.w, 0, 1e-5);
  EXPECT_NEAR(p.y / p.w, 0, 1e-5);
  EXPECT_NEAR(p.w, 7, 1e-4);
  EXPECT_NEAR(glm::length(c.eye() - c.pose.target), 7, 1e-4);
}

TEST(Camera, UpIsUpInThePicture) {
  for (const glm::vec3& up : {glm::vec3(0, 0, 1), glm::vec3(0, 1, 0), glm::vec3(0, 0, -1), glm::vec3(-1, 0, 0),
                              glm::normalize(glm::vec3(1, -2, 3))}) {
    for (float yaw = -3; yaw < 3; yaw += 0.7f) {
      for (const float pitch : {-1.2f, 0.0f, 0.9f}) {
        Camera c;
        c.up = up;
        c.pose = {{1, -2, 3}, 7, yaw, pitch};
        const glm::vec4 above = clip(c, 1.3f, c.pose.target + 0.1f * up);
        EXPECT_GT(above.y / above.w, 0.002);
        EXPECT_NEAR(above.x / above.w, 0, 1e-5);
        EXPECT_NEAR(glm::dot(c.eye() - c.pose.target, up), 7 * std::sin(pitch), 1e-4) << "pitch is above the ground";
        EXPECT_NEAR(glm::length(c.forward()), 1, 1e-5);
      }
    }
  }
}

TEST(Camera, DepthIsGreaterWhenNearer) {
  Camera c;
  c.pose.distance = 10;
  float last = 2;
  for (const float away : {0.01f, 0.1f, 1.0f, 10.0f, 1e4f, 1e8f}) {
    const glm::vec4 p = clip(c, 1, c.eye() + c.forward() * away);
    const float depth = p.z / p.w;
    EXPECT_LT(depth, last) << away;
    EXPECT_GT(depth, 0) << away;
    last = depth;
    if (away == 0.01f) {
      EXPECT_NEAR(depth, 1, 1e-3) << "the near plane is a thousandth of the distance";
    }
  }
}

TEST(Camera, PitchStopsShortOfStraightDown) {
  Camera c;
  c.turn(0, 100, 0);
  EXPECT_LT(c.pose.pitch, 1.5708f);
  EXPECT_TRUE(std::isfinite(c.view()[0][0]));
  c.turn(0, -200, 0);
  EXPECT_GT(c.pose.pitch, -1.5708f);
}

TEST(Camera, InertiaContinuesAndEnds) {
  Camera c;
  const float start = c.pose.yaw;
  c.turn(0.02f, 0, 0.01f);
  c.drift(0.01f, true);
  EXPECT_NEAR(c.pose.yaw, start + 0.02f, 1e-6) << "no drift while a button is pressed";
  for (int k = 0; k < 60; ++k) c.drift(0.02f, false);
  const float after = c.pose.yaw;
  // The speed v = 2 rad/s falls by e each 0.25 s: v T = 0.5 rad in all, a little more in steps of 0.02 s.
  EXPECT_NEAR(after - start - 0.02f, 0.5f, 0.05f);
  for (int k = 0; k < 300; ++k) c.drift(0.02f, false);
  const float later = c.pose.yaw;
  c.drift(1, false);
  EXPECT_EQ(c.pose.yaw, later) << "at rest";
}

TEST(Camera, PanMovesTheTargetAcrossThePicture) {
  Camera c;
  c.pose = {{0, 0, 0}, 5, 0.3f, 0.2f};
  const glm::vec3 was = c.pose.target;
  c.pan(0.5f, 0, 1.6f);  // half the width: the former centre is at the left edge
  const glm::vec4 p = clip(c, 1.6f, was);
  EXPECT_NEAR(p.x / p.w, -1, 1e-4);
  EXPECT_NEAR(p.y / p.w, 0, 1e-4);
}

TEST(Camera, ZoomStaysPositiveAndFinite) {
  Camera c;
  for (int k = 0; k < 2000; ++k) c.zoom(0.5f);
  EXPECT_GT(c.pose.distance, 0);
  for (int k = 0; k < 2000; ++k) c.zoom(2);
  EXPECT_TRUE(std::isfinite(c.pose.distance));
}

TEST(Camera, FlyMovesForward) {
  Camera c;
  c.pose = {{0, 0, 0}, 4, 1, 0.5f};
  const glm::vec3 eye = c.eye(), ahead = c.forward();
  c.fly(0, 0, 1, 0.5f);
  EXPECT_NEAR(glm::length(c.eye() - (eye + ahead * 2.0f)), 0, 1e-5);
}

}  // namespace
}  // namespace tri::render
