// Colour maps: lightness (CIE L*) increases monotonically and evenly.

#include "render/colour_map.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tri::render {
namespace {

double lightness(const std::array<float, 3>& srgb) {
  const double y = 0.2126 * to_linear(srgb[0]) + 0.7152 * to_linear(srgb[1]) + 0.0722 * to_linear(srgb[2]);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(ColourMap, LightnessIncreasesEvenly) {
  for (u32 m = 0; m < kColourMapCount; ++m) {
    const auto map = static_cast<ColourMap>(m);
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

TEST(ColourMap, SrgbRoundTrips) {
  for (int i = 0; i <= 255; ++i) {
    const float v = static_cast<float>(i) / 255;
    EXPECT_NEAR(to_srgb(to_linear(v)), v, 1e-5);
  }
}

}  // namespace
}  // namespace tri::render
