// The camera: fit shows the whole box from every direction, inertia ends, depth is reversed.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include "render/view.hpp"

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

// The scale bar: round lengths, and pixels that a sphere of that size has in a picture.

TEST(ScaleBar, LengthsAreRound) {
  for (const double power : {1e-9, 1e-3, 0.1, 1.0, 10.0, 1e6}) {
    for (const auto& [most, round] :
         {std::pair{1.0, 1.0}, {1.99, 1.0}, {2.0, 2.0}, {4.9, 2.0}, {5.0, 5.0}, {9.99, 5.0}}) {
      EXPECT_NEAR(round_length(most * power) / (round * power), 1, 1e-9) << most << " " << power;
    }
  }
}

TEST(ScaleBar, IsAsLongAsTheLengthAtTheTarget) {
  Camera camera;
  for (const float distance : {0.003f, 1.0f, 7.7f, 4e4f}) {
    camera.pose.distance = distance;
    for (const float height : {600.0f, 720.0f, 2160.0f}) {
      const ScaleBar bar = scale_bar(camera, height, height / 6);
      EXPECT_LE(bar.pixels, height / 6 * 1.0001f);
      EXPECT_GT(bar.pixels, height / 6 / 2.51f) << "the next round length would not fit";
      // The picture's height at the target is 2 tan(fov / 2) distance.
      const float all = 2 * std::tan(camera.field_of_view / 2) * distance;
      EXPECT_NEAR(static_cast<float>(bar.length) / all, bar.pixels / height, 1e-5f);
    }
  }
}

// Colour maps: lightness (CIE L*) increases monotonically and evenly, black bodies have their colours, nothing is
// black.

double lightness(const std::array<float, 3>& srgb) {
  const double y = 0.2126 * to_linear(srgb[0]) + 0.7152 * to_linear(srgb[1]) + 0.0722 * to_linear(srgb[2]);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(ColourMap, LightnessIncreasesEvenly) {
  for (const ColourMap map : {ColourMap::viridis, ColourMap::inferno, ColourMap::cividis}) {
    const double first = lightness(sample(map, 0)), last = lightness(sample(map, 1));
    EXPECT_GT(last - first, 70) << to_string(map);
    double before = first;
    for (int i = 1; i <= 100; ++i) {
      const double now = lightness(sample(map, static_cast<float>(i) / 100));
      EXPECT_GE(now, before - 0.05) << to_string(map) << " at " << i;
      EXPECT_NEAR(now, first + (last - first) * i / 100, 6) << to_string(map) << " at " << i;
      before = now;
    }
  }
}

TEST(ColourMap, EndsMatchTheSource) {
  const auto end = sample(ColourMap::viridis, 1);
  EXPECT_NEAR(end[0] * 255, 253, 0.5);
  EXPECT_NEAR(end[1] * 255, 231, 0.5);
  EXPECT_NEAR(end[2] * 255, 37, 0.5);
  EXPECT_EQ(sample(ColourMap::inferno, -3), sample(ColourMap::inferno, 0));
  EXPECT_EQ(sample(ColourMap::inferno, 7), sample(ColourMap::inferno, 1));
}

/// Chromaticities of Planck's law with the CIE 1931 observer, from tables (illuminant A is the one at 2856 K).
TEST(ColourMap, BlackBodiesHaveKnownChromaticities) {
  struct Known {
    float kelvin, x, y;
  };
  for (const auto& [kelvin, x, y] :
       {Known{2000, 0.5267f, 0.4133f}, Known{2856, 0.4476f, 0.4074f}, Known{4000, 0.3805f, 0.3768f},
        Known{5000, 0.3451f, 0.3516f}, Known{6500, 0.3135f, 0.3237f}, Known{10000, 0.2807f, 0.2884f}}) {
    const auto c = black_body_chromaticity(kelvin);
    EXPECT_NEAR(c[0], x, 1e-3) << kelvin;
    EXPECT_NEAR(c[1], y, 1e-3) << kelvin;
  }
}

/// From orange over white, at the white point of sRGB, to blue; never dark.
TEST(ColourMap, StarsAreOrangeWhiteAndBlue) {
  const auto white = black_body(6600);
  for (const float channel : white) EXPECT_NEAR(channel, 1, 0.03);
  const auto cool = sample(ColourMap::black_body, 0), hot = sample(ColourMap::black_body, 1);
  EXPECT_EQ(cool, black_body(2000));
  EXPECT_NEAR(to_linear(hot[0]), to_linear(black_body(20000)[0]), 1e-4);
  EXPECT_FLOAT_EQ(cool[0], 1);
  EXPECT_LT(cool[2], 0.1f);
  EXPECT_FLOAT_EQ(hot[2], 1);
  EXPECT_LT(hot[0], 0.75f);
  float before = 2;
  for (int i = 0; i <= 100; ++i) {
    const auto c = sample(ColourMap::black_body, static_cast<float>(i) / 100);
    EXPECT_NEAR(*std::max_element(c.begin(), c.end()), 1, 1e-5) << i;
    const float redder = (c[0] + 1) / (c[2] + 1);  // decreases with temperature
    EXPECT_LE(redder, before + 1e-5f) << i;
    before = redder;
  }
}

/// What is darker than the floor gets as bright as it, in its own hue.
TEST(ColourMap, NoBodyIsBlack) {
  for (u32 m = 0; m < kColourMapCount; ++m) {
    for (const BodyShape shape : {BodyShape::spheres, BodyShape::glow, BodyShape::points}) {
      const BodyStyle style{.shape = shape, .colours = static_cast<ColourMap>(m)};
      for (int i = 0; i <= 50; ++i) {
        const float t = static_cast<float>(i) / 50;
        const auto plain = sample(style.colours, t), shown = colour_at(style, t);
        const float brightest = *std::max_element(shown.begin(), shown.end());
        EXPECT_GT(brightest, shape == BodyShape::glow ? 0.59f : 0.29f) << to_string(style.colours) << " " << t;
        const float lift = to_linear(brightest) / to_linear(*std::max_element(plain.begin(), plain.end()));
        EXPECT_GE(lift, 0.999f);
        for (u32 k = 0; k < 3; ++k) EXPECT_NEAR(to_linear(shown[k]), lift * to_linear(plain[k]), 1e-4);
      }
    }
  }
  EXPECT_EQ(colour_at({.shape = BodyShape::glow, .colours = ColourMap::viridis}, 1), sample(ColourMap::viridis, 1));
}

TEST(ColourMap, TwoGroupsAreOrangeAndBlue) {
  const BodyStyle style{.quantity = Quantity::group, .colours = ColourMap::orange_blue};
  const auto first = colour_at(style, 0), second = colour_at(style, 1);
  EXPECT_GT(first[0], first[1]);
  EXPECT_GT(first[1], first[2]);
  EXPECT_LT(second[0], second[1]);
  EXPECT_LT(second[1], second[2]);
}

TEST(ColourMap, PlainIsOneLightColour) {
  EXPECT_FALSE(begins_dark(ColourMap::plain));
  for (const float t : {0.0f, 0.3f, 1.0f}) {
    EXPECT_EQ(sample(ColourMap::plain, t), sample(ColourMap::plain, 0.5f)) << t;
    for (const float channel : sample(ColourMap::plain, t)) EXPECT_GT(channel, 0.9f);
  }
}

TEST(ColourMap, SrgbRoundTrips) {
  for (int i = 0; i <= 255; ++i) {
    const float v = static_cast<float>(i) / 255;
    EXPECT_NEAR(to_srgb(to_linear(v)), v, 1e-5);
  }
}

}  // namespace
}  // namespace tri::render
