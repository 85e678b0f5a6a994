// Colour maps: lightness (CIE L*) increases monotonically and evenly, black bodies have their colours, nothing is
// black.

#include "render/colour_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "render/body_style.hpp"

namespace tri::render {
namespace {

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
