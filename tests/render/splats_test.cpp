// Small bodies as splats of compute shaders: the same picture as rasterization, no light lost or clipped, and bit-equal
// in every run.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "sim/base/error.hpp"
#include "tests/render/pictures.hpp"

namespace tri::render {
namespace {

class SplatsTest : public Pictures {
 protected:
  SplatsTest() { frames = 1; }
};

/// A number in [-1, 1) from a counter.
float scattered(u32 k) {
  u32 x = k * 0x9e3779b9u + 0x85ebca6bu;
  x = (x ^ x >> 16) * 0x7feb352du, x = (x ^ x >> 15) * 0x846ca68bu;
  return static_cast<float>(x >> 8) / 8388608.0f - 1;
}

/// Bodies in and around the picture, near and far, with radii up to `most`, some of which intersect.
std::vector<Instance> cloud(u32 n, float most) {
  std::vector<Instance> bodies;
  for (u32 k = 0; k < n; ++k) {
    const float near = 3 * scattered(5 * k), radius = most * (0.01f + std::pow(scattered(5 * k + 1), 4.0f));
    bodies.push_back(body(near, 5 * scattered(5 * k + 2), 5 * scattered(5 * k + 3), radius, scattered(5 * k + 4), k));
  }
  return bodies;
}

struct Difference {
  int most = 0;      ///< of one channel, of 255
  double share = 0;  ///< pixels that differ by more than 2
  double light = 0;  ///< of all pixels, in linear light, relative
};
Difference difference(const Image& a, const Image& b) {
  Difference d;
  double sum_a = 0, sum_b = 0;
  for (std::size_t k = 0; k < a.rgb.size(); ++k) {
    const int by = std::abs(int{a.rgb[k]} - int{b.rgb[k]});
    d.most = std::max(d.most, by), d.share += by > 2;
    sum_a += static_cast<double>(to_linear(static_cast<float>(a.rgb[k]) / 255));
    sum_b += static_cast<double>(to_linear(static_cast<float>(b.rgb[k]) / 255));
  }
  d.share /= static_cast<double>(a.rgb.size());
  d.light = std::abs(sum_a - sum_b) / sum_a;
  EXPECT_GT(sum_a, 0);
  return d;
}

/// Radii from below a pixel, past the limit of one thread (10 pixels), to those that are rasterized either way
/// (128 pixels and more). Lines in front of and behind the bodies.
TEST_F(SplatsTest, MatchTheRasterizedPicture) {
  marked = 7;
  for (const BodyShape shape : {BodyShape::spheres, BodyShape::points, BodyShape::glow}) {
    for (const float most : {0.005f, 0.12f, 0.5f, 3.0f}) {
      const auto bodies = cloud(most > 1 ? 20 : most > 0.2f ? 150 : 637, most);
      style.shape = shape, style.point_pixels = 1 + 2 * most, style.size = 1;
      lines = {{{2, -4, -4}, {2, 4, 4}, {0, 0.7f, 0}}, {{-3, -4, 4}, {-3, 4, -4}, {0.6f, 0, 0}}};
      if (shape == BodyShape::glow) {
        style.size = most > 1 ? 60 : 40 * most;
        lines.clear();  // behind a line, a square is clipped obliquely and a splat is not
      }
      style.small = SmallBodies::points;
      const bool glow = shape == BodyShape::glow;
      const auto take = [&] {
        const Image p = draw(bodies);
        return glow ? exposed() : p;  // the tone curve would show the last bits of dark light
      };
      const Image drawn = take();
      style.small = SmallBodies::splats;
      const Image splatted = take();
      const Difference d = difference(drawn, splatted);
      // Rounding moves an edge by a pixel here and there; light, in 16-bit floats on one side, differs by steps.
      const std::string_view name = to_string(shape);
      EXPECT_LE(d.share, shape == BodyShape::glow ? 0.002 : 0.0005) << name << " " << most;
      EXPECT_LE(d.light, shape == BodyShape::glow ? 0.006 : 0.002) << name << " " << most;
      EXPECT_LE(d.most, shape == BodyShape::glow ? 6 : 255) << most;
    }
  }
}

TEST_F(SplatsTest, AreBitEqualInAnyOrder) {
  auto bodies = cloud(1501, 0.2f);
  for (u32 k = 0; k < 500; ++k) {  // coincident bodies of different colours: the index decides
    bodies.push_back(bodies[k]);
    bodies.back().speed = -bodies[k].speed;
  }
  style.small = SmallBodies::splats;
  for (const BodyShape shape : {BodyShape::spheres, BodyShape::points, BodyShape::glow}) {
    style.shape = shape, style.size = shape == BodyShape::glow ? 5 : 1;
    const Image first = draw(bodies);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(draw(bodies).rgb == first.rgb) << to_string(shape);
  }
}

TEST_F(SplatsTest, OfCoincidentBodiesTheFirstIsVisible) {
  for (const BodyShape shape : {BodyShape::spheres, BodyShape::points}) {
    style.shape = shape, style.point_pixels = 12;
    const auto seen = [&](float first, SmallBodies small) {
      style.small = small;
      const Image p = draw({body(0, 0, 0, 0.5f, first, 0), body(0, 0, 0, 0.5f, 1 - first, 1)});
      return std::vector<u8>(p.at(kSide / 2, kSide / 2), p.at(kSide / 2, kSide / 2) + 3);
    };
    for (const float first : {0.0f, 1.0f}) {
      EXPECT_EQ(seen(first, SmallBodies::splats), seen(first, SmallBodies::points)) << to_string(shape);
    }
    EXPECT_NE(seen(0, SmallBodies::splats), seen(1, SmallBodies::splats)) << to_string(shape);
  }
}

/// A 16-bit float has eleven bits: it would lose terms below 1/2048 of the sum.
TEST_F(SplatsTest, NoLightIsLostOrClipped) {
  style.small = SmallBodies::splats, style.shape = BodyShape::glow;
  for (const float size : {0.02f, 1.0f, 12.0f}) {  // as small as they are drawn, and larger
    style.size = size;
    const auto of = [&](u32 many) {
      extent = std::sqrt(static_cast<float>(many));  // the same light for each
      std::vector<Instance> list;
      for (u32 k = 0; k < many; ++k) list.push_back(body(0, 0.03f, 0.03f, 0, 1, k));
      draw(list);
      return all_light();
    };
    const double one = of(1);
    ASSERT_GT(one, 0) << size;
    EXPECT_NEAR(of(5000) / (5000 * one), 1, 0.05) << size;
  }
}

/// With much light in total, one unit exceeds the light that a faint body adds to a pixel.
TEST_F(SplatsTest, FaintLightAddsUpBesideBright) {
  style.small = SmallBodies::splats, style.shape = BodyShape::glow;
  std::vector<Instance> bodies;
  const auto middle = [&] {
    extent = std::sqrt(static_cast<float>(bodies.size()));  // the same light for each
    draw(bodies);
    return static_cast<double>(middle_light());
  };
  for (u32 k = 0; k < 5000; ++k) bodies.push_back(body(-10000, 15, 15, 0, 1, k));
  const double alone = middle();
  ASSERT_GT(alone, 1e-3);
  for (u32 k = 0; k < 3000; ++k) bodies.push_back(body(5.5f, 1.6f, 1.6f, 0, 1, k + 5000));
  EXPECT_NEAR(middle(), alone, 0.25 * alone);
}

TEST_F(SplatsTest, OccludeAndAreOccluded) {
  style.small = SmallBodies::splats, style.colours = ColourMap::cividis;
  // A sphere of 30 pixels at the origin is a splat; small ones are behind it, inside it and in front of it.
  const Instance ball = body(0, 0, 0, 1, 0, 0), before = body(2, 0, 0, 0.1f, 1, 1), behind = body(-2, 0, 0, 0.1f, 1, 1);
  const auto middle = [&](const Image& p) { return int{p.at(kSide / 2, kSide / 2)[0]}; };
  const int dark = middle(draw({ball, body(0, 3, 3, 0.1f, 1, 1)}));
  EXPECT_EQ(middle(draw({ball, behind})), dark);
  EXPECT_EQ(middle(draw({ball, body(0, 0, 0, 0.1f, 1, 1)})), dark);
  EXPECT_GT(middle(draw({ball, before})), dark + 60);
  // The same with a sphere larger than any splat, which is rasterized.
  const Instance large = body(-30, 0, 0, 25, 0, 0);
  const int far = middle(draw({large, body(0, 3, 3, 0.1f, 1, 1)}));
  EXPECT_EQ(middle(draw({large, body(-20, 0, 0, 0.1f, 1, 1)})), far);
  EXPECT_GT(middle(draw({large, before})), far + 60);
  // Only lines hide light.
  style.shape = BodyShape::glow, style.size = 10;
  lines = {{{2, -5, 0}, {2, 5, 0}, {0, 0, 0.05f}}};
  const auto lamp = [&](float x) {
    draw({body(x, 0, 0, 0, 1, 0), body(0, 9, 9, 0, 0, 1)});
    const std::vector<float> rgb = light();
    float line = 1e9f;
    for (u32 y = kSide / 2 - 2; y <= kSide / 2 + 1; ++y) line = std::min(line, rgb[3 * (y * kSide + kSide / 2) + 1]);
    return line;
  };
  EXPECT_EQ(lamp(0), 0);
  EXPECT_GT(lamp(4), 0.01f);
}

TEST(SmallBodies, TheEnvironmentSelectsPointsOrSplats) {
  const Offscreen screen(1, 1, Offscreen::Driver::software);
  ASSERT_EQ(setenv("TRIANGULUM_SMALL_BODIES", "sprites", 1), 0);
  EXPECT_THROW(BodyRenderer{ShaderSources()}, ConfigError);
  ASSERT_EQ(setenv("TRIANGULUM_SMALL_BODIES", "splats", 1), 0);
  EXPECT_NO_THROW(BodyRenderer{ShaderSources()});
  unsetenv("TRIANGULUM_SMALL_BODIES");
}

}  // namespace
}  // namespace tri::render
