// Light: its sum, its blur and its exposure, against closed forms.

#include <unistd.h>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <string>

#include "sim/base/error.hpp"
#include "tests/render/pictures.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::render {
namespace {

/// What a Light makes of a known picture.
class LightTest : public Pictures {
 protected:
  struct Curve {
    float white, steepness;
  };

  LightTest() {
    draw({body(0, 0, 0, 1)});  // binds a frame of this size
    target.resize(kSide, kSide);
  }

  /// Develops a grey picture, row by row, and reads the curve.
  Curve develop(const std::vector<float>& grey, const Metering& metering) {
    std::vector<float> rgba;
    for (const float x : grey) rgba.insert(rgba.end(), {x, x, x, 0});
    glTextureSubImage2D(target.colour(), 0, 0, 0, kSide, kSide, GL_RGBA, GL_FLOAT, rgba.data());
    for (const auto& part : developer.parts(target, false, metering, 3)) part();
    Curve curve{};
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(developer.exposure(), 128 * sizeof(u32), sizeof curve, &curve);
    screen.messages().check("develop");
    EXPECT_EQ(screen.messages().errors(), 0u) << screen.messages().texts().front();
    return curve;
  }
  /// The blurred picture at half the size.
  std::vector<float> blurred() const {
    std::vector<float> red(std::size_t{kSide} * kSide / 4);
    glGetTextureImage(developer.blurred(), 0, GL_RED, GL_FLOAT, static_cast<GLsizei>(red.size() * sizeof(float)),
                      red.data());
    return red;
  }
  static std::vector<float> picture(const auto& brightness) {
    std::vector<float> grey;
    for (u32 y = 0; y < kSide; ++y) {
      for (u32 x = 0; x < kSide; ++x) grey.push_back(brightness(x, y));
    }
    return grey;
  }

  gl::HdrTarget target;
  Light developer{ShaderSources()};
};

/// Brightness falls by a factor of two every 20 rows, over 10 stops. Of all light, 1 - w lies above the brightness w.
TEST_F(LightTest, WhiteIsTheBrightnessAboveWhichASmallPartOfTheLightLies) {
  const auto ramp = [](float gain) {
    return picture([gain](u32, u32 y) { return gain * std::exp2(-static_cast<float>(y) / 20); });
  };
  const float most = 1.99f;  // at the upper edge of a bin
  EXPECT_NEAR(develop(ramp(most), {1, 1e-4f, 0}).white / most, 1 - 0.015, 0.01);
  const float dark = develop(ramp(1 / 32.f), {1, 1e-6f, 0}).white, bright = develop(ramp(32), {1, 1e-6f, 0}).white;
  EXPECT_NEAR(bright / dark, 1024, 0.5) << "exposure follows the brightness";
  // A tenth of the pixels is 90 times as bright as the rest: they have nine tenths of the light.
  const auto two = picture([](u32 x, u32) { return x % 10 == 0 ? 9.0f : 0.1f; });
  const float white = develop(two, {1, 1e-4f, 0}).white;
  EXPECT_GT(white, 9 / 1.25f);
  EXPECT_LT(white, 9 * 1.25f);
}

TEST_F(LightTest, TheCurveLiftsASingleBodyToTheFloor) {
  const auto grey = picture([](u32 x, u32 y) { return x + y == 0 ? 0.001f : 10.0f; });
  for (const float single : {1e-3f, 0.1f, 2.0f}) {
    for (const float floor : {0.1f, 0.3f, 0.6f}) {
      const auto [white, a] = develop(grey, {1, single, floor});
      const float reached = std::log1p(a * single / white) / std::log1p(a);
      if (a > 4.01f && a < 2.9e5f) {
        EXPECT_NEAR(reached, floor, 2e-3) << single << " " << floor;
      } else if (a <= 4.01f) {
        EXPECT_GE(reached, floor - 1e-3f) << single << " " << floor;
      } else {
        EXPECT_LE(reached, floor) << "the steepest curve " << single << " " << floor;
      }
    }
  }
}

TEST_F(LightTest, ExposureAdaptsOrStays) {
  const auto one = picture([](u32, u32) { return 1.0f; }), brighter = picture([](u32, u32) { return 32.0f; });
  const float first = develop(one, {0, 1e-3f, 0.3f}).white;  // the first frame is exposed by itself
  EXPECT_NEAR(first, 1, 0.25);
  EXPECT_EQ(develop(brighter, {0, 1e-3f, 0.3f}).white, first);
  const float half = develop(brighter, {0.5f, 1e-3f, 0.3f}).white;
  EXPECT_NEAR(half / first, std::sqrt(32), 0.01);
  EXPECT_NEAR(develop(brighter, {1, 1e-3f, 0.3f}).white / first, 32, 0.01);
  const float dark = develop(picture([](u32, u32) { return 0.0f; }), {1, 1e-3f, 0.3f}).white;
  EXPECT_NEAR(dark / first, 32, 0.01) << "a dark picture keeps the exposure";
}

TEST_F(LightTest, BlurKeepsAllLight) {
  const auto sum_of = [](const std::vector<float>& v) {
    double sum = 0;
    for (const float x : v) sum += static_cast<double>(x);
    return sum;
  };
  for (const u32 at : {97u, 100u, 103u}) {
    develop(picture([at](u32 x, u32 y) { return x == at && y == at ? 1000.0f : 0.0f; }), {});
    const std::vector<float> spot = blurred();
    EXPECT_NEAR(4 * sum_of(spot), 1000, 5) << at;
    double centre = 0;
    for (std::size_t k = 0; k < spot.size(); ++k) {
      centre += static_cast<double>(spot[k]) * (static_cast<double>(k % (kSide / 2)) * 2 + 0.5);
    }
    EXPECT_NEAR(centre / sum_of(spot), at, 1) << "it stays in its place";
    EXPECT_LT(*std::max_element(spot.begin(), spot.end()), 100) << "it spreads";
  }
  develop(picture([](u32, u32) { return 0.7f; }), {});
  for (const float x : blurred()) ASSERT_NEAR(x, 0.7, 0.01);
}

/// Bodies of the renderer both ways.
class GlowTest : public Pictures, public testing::WithParamInterface<SmallBodies> {
 protected:
  GlowTest() { style.shape = BodyShape::glow, style.small = GetParam(), frames = 1; }

  /// A ball of radius 2 around the origin, all of one speed.
  static std::vector<Instance> ball(u32 n) {
    std::vector<Instance> bodies;
    for (u32 k = 0; k < n; ++k) {
      const float part = (static_cast<float>(k) + 0.5f) / static_cast<float>(n);
      const float z = 1 - 2 * part, angle = 2.399963f * static_cast<float>(k);
      const float radius = 2 * std::cbrt(std::fmod(static_cast<float>(k) * 0.618034f, 1.0f));
      const float across = radius * std::sqrt(1 - z * z);
      bodies.push_back(body(across * std::cos(angle), across * std::sin(angle), radius * z, 0, 1, k));
    }
    return bodies;
  }
};

INSTANTIATE_TEST_SUITE_P(BothWays, GlowTest, testing::Values(SmallBodies::points, SmallBodies::splats),
                         [](const auto& way) { return way.param == SmallBodies::points ? "points" : "splats"; });

/// The sum over a disc of exp(-4 r^2) - exp(-4) is 0.2271 pi R^2; a body of light L / R^2 in its middle gives
/// 0.2271 pi L, whatever R is, and L is 1/64 of the square of the scene for all bodies together.
TEST_P(GlowTest, TotalLightDoesNotDependOnTheNumberOfBodies) {
  style.colours = ColourMap::viridis;
  const float green = to_linear(colour_at(style, 0.5f)[1]);
  extent = 4;
  const double pixel = 10 * std::tan(0.4) / (kSide / 2);  // at the distance of the origin
  double near = 0;                                        // mean of 1 / distance^2
  for (const Instance& b : ball(4096)) near += 100 / std::pow(10 - static_cast<double>(b.x), 2) / 4096;
  const double expected = static_cast<double>(green) * 0.2271 * std::numbers::pi * 16 / 64 / (pixel * pixel) * near;
  for (const u32 n : {64u, 512u, 4096u, 65536u}) {
    draw(ball(n));
    EXPECT_NEAR(all_light() / expected, 1, 0.03) << n;
  }
}

TEST_P(GlowTest, DimBodiesHaveLessOfTheSameLight) {
  const auto bodies = ball(1000);
  draw(bodies);
  const double all = all_light();
  std::vector<float> light(1000, 1);
  for (u32 k = 0; k < 500; ++k) light[k] = 0.1f;
  renderer.set_luminosities(light);
  draw(bodies);
  EXPECT_NEAR(all_light() / all, 1, 0.05) << "together they shine as before";
  draw({bodies.begin(), bodies.begin() + 500});  // another number of bodies: all the same
  EXPECT_NEAR(all_light() / all, 1, 0.05);
  // One of each kind, at the same distance.
  renderer.set_luminosities(std::vector{1.0f, 0.1f});
  draw({body(0, 0.021f, 0.021f, 0, 1, 0), body(0, 3, 3, 0, 1, 1)});
  const float bright = middle_light();
  draw({body(0, 3, 3, 0, 1, 0), body(0, 0.021f, 0.021f, 0, 1, 1)});
  EXPECT_NEAR(middle_light() / bright, 0.1, 0.005);
}

/// One body beside a dense ball of many, of the other end of the colours.
TEST_P(GlowTest, ASingleBodyIsVisibleInItsHue) {
  style.colours = ColourMap::orange_blue;
  for (const u32 n : {500u, 8000u}) {
    auto bodies = ball(n);
    for (Instance& b : bodies) b.x *= 0.3f, b.y *= 0.3f, b.z *= 0.3f;
    bodies.push_back(body(0, 3.405f, 0.021f, 0, 2, n));  // 80 pixels to the right
    const Image p = draw(bodies);
    const u8* alone = p.at(kSide / 2 + 80, kSide / 2 - 1);
    EXPECT_GT(alone[2], n == 500 ? 150 : 120) << n;
    EXPECT_GT(alone[2], 2 * alone[0]) << n;
    const u8* core = p.at(kSide / 2, kSide / 2);
    EXPECT_GT(core[0], alone[2]) << n;
    EXPECT_GT(core[0], core[2] + 5) << "the core keeps a hue too " << n;
  }
}

TEST_P(GlowTest, TheSamePictureHasTheSameBits) {
  style.ordered = true;
  const auto bodies = ball(3000);
  const Image first = draw(bodies);
  draw(ball(20));  // another exposure in between
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(draw(bodies).rgb == first.rgb) << k;
}

// Shadows of spheres: a crease is darker than without them, a sphere alone looks the same.

/// A folder with an occlusion.comp after which all light stays.
class NoOcclusion {
 public:
  NoOcclusion() {
    std::string text = ShaderSources().text("occlusion.comp");
    const std::string stored = "vec4(kept,";
    const std::size_t at = text.find(stored);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, stored.size(), "vec4(1.0,");
    folder_.file("occlusion.comp", text);
  }
  const std::string& path() const { return folder_.path(); }

 private:
  test::TempFolder folder_;
};

class OcclusionTest : public Pictures, public testing::WithParamInterface<SmallBodies> {
 protected:
  OcclusionTest() { style.small = GetParam(), style.colours = ColourMap::orange_blue, frames = 1, sphere_radius = 1; }

  /// The share of its light that each pixel keeps; 1 where there is none.
  std::vector<double> kept(const std::vector<Instance>& bodies) {
    const Image shaded = draw(bodies);
    std::swap(renderer, open);
    const Image plain = draw(bodies);
    std::swap(renderer, open);
    std::vector<double> share;
    for (std::size_t k = 1; k < plain.rgb.size(); k += 3) {
      const auto linear = [k](const Image& p) {
        return static_cast<double>(to_linear(static_cast<float>(p.rgb[k]) / 255));
      };
      share.push_back(plain.rgb[k] > 40 ? linear(shaded) / linear(plain) : 1);
    }
    return share;
  }
  static std::size_t pixel(float y, float z) {
    const float scale = kSide / 2 / std::tan(0.4f) / 10;
    return static_cast<std::size_t>(kSide / 2 - z * scale) * kSide + static_cast<std::size_t>(kSide / 2 + y * scale);
  }

  NoOcclusion folder;
  BodyRenderer open{ShaderSources(folder.path())};
};

INSTANTIATE_TEST_SUITE_P(BothWays, OcclusionTest, testing::Values(SmallBodies::points, SmallBodies::splats),
                         [](const auto& way) { return way.param == SmallBodies::points ? "points" : "splats"; });

TEST_P(OcclusionTest, ASphereAloneKeepsItsLight) {
  for (const float radius : {0.02f, 0.1f, 0.4f, 1.0f, 3.0f}) {
    sphere_radius = radius;
    for (const double share : kept({body(0, 0.3f, -0.2f, radius), body(0, 90, 90, radius, 1, 1)})) {
      ASSERT_NEAR(share, 1, 0.03) << radius;  // one of 255 levels
    }
  }
}

TEST_P(OcclusionTest, ACreaseIsDark) {
  // Two spheres that touch at the middle, side by side; a third, alone, is as before.
  const auto share = kept({body(0, -1, 0, 1), body(0, 1, 0, 1, 1, 1), body(0, 0, 3.2f, 0.5f, 1, 2)});
  EXPECT_LT(share[pixel(-0.1f, 0.02f)], 0.8);
  EXPECT_LT(share[pixel(0.1f, 0.02f)], 0.8);
  EXPECT_GT(share[pixel(-1.7f, 0)], 0.97) << "the outer side";
  EXPECT_GT(share[pixel(1.7f, 0)], 0.97);
  EXPECT_GT(share[pixel(0, 3.2f)], 0.97);
}

TEST_P(OcclusionTest, ASphereCastsAShadow) {
  // The sun is up, to the left and behind the eye; a small sphere stands between it and the large one.
  const Instance large = body(-2, 0, 0, 2), small = body(0.9f, -0.5f, 0.7f, 0.3f, 1, 1);
  const auto share = kept({large, small});
  double darkest = 1;
  for (float step = 0; step < 1; step += 0.05f)
    darkest = std::min(darkest, share[pixel(-0.1f + 0.5f * step, 0.3f - 0.5f * step)]);
  EXPECT_LT(darkest, 0.7);
  EXPECT_GT(share[pixel(-1.2f, 1.0f)], 0.9) << "towards the sun";
}

// Small bodies as splats of compute shaders: the same picture as rasterization, no light lost or clipped, and bit-equal
// in every run.

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

// Trails with software OpenGL: the positions of their lines, fading, length, and where they are cut.

struct TrailsTest : Pictures {
  TrailsTest() { style = {.shape = BodyShape::points, .point_pixels = 0.01f, .background = {0, 0, 0}}; }

  Trails trails{ShaderSources()};
  std::array<float, 3> period{};
  std::unique_ptr<InstanceBuffer> buffer;

  /// Body i is at y = ys[i], z = zs[i].
  void record(const std::vector<float>& ys, const std::vector<float>& zs) {
    if (buffer == nullptr || buffer->size() != ys.size()) buffer = make_copy_buffer(ys.size());
    const InstanceSink sink = buffer->sink();
    for (u32 i = 0; i < ys.size(); ++i) sink.instances[i] = {0, ys[i], zs[i], 0, 1, 1, 1, i};
    buffer->written();
    trails.record(*buffer, marked);
    buffer->drawn();
  }
  Image draw() {
    FrameView view{camera, static_cast<int>(kSide), static_cast<int>(kSide), 0.01f, std::nullopt, {}, &trails, period};
    // The bodies themselves are outside the picture: lit pixels are trails.
    const auto away = make_copy_buffer(1);
    away->sink().instances[0] = {0, 1000, 0, 0, 1, 1, 1, 0};
    away->written();
    renderer.draw(away.get(), view, style);
    renderer.show(screen.texture(), 0, 0);
    glFinish();
    Image p = screen.image();
    screen.messages().check("draw");
    EXPECT_EQ(screen.messages().errors(), 0u) << screen.messages().texts().front();
    return p;
  }
  static u32 column(float y) {
    return static_cast<u32>(kSide / 2 * (1 + y / 10 / std::tan(0.4f)));  // half of the field of view is 0.4
  }
  /// Light in a column of pixels around the row of z.
  static int light(const Image& p, float y, float z) {
    int most = 0;
    const u32 row = kSide - 1 - column(z);
    for (u32 r = row - 2; r <= row + 2; ++r) {
      const u8* rgb = p.at(column(y), r);
      most = std::max(most, rgb[0] + rgb[1] + rgb[2]);
    }
    return most;
  }
};

TEST_F(TrailsTest, LinesFollowThePositionsAndFadeWithAge) {
  trails.choose(2, 8);
  for (int t = 0; t <= 4; ++t) {
    const auto y = static_cast<float>(t) - 2;
    record({y, y}, {1, -1.5f});
  }
  EXPECT_EQ(trails.filled(), 5u);
  const Image p = draw();
  for (const float z : {1.0f, -1.5f}) {
    int before = 0;
    for (const float y : {-1.9f, -1.1f, -0.3f, 0.3f, 1.1f, 1.9f}) {
      const int now = light(p, y, z);
      EXPECT_GT(now, before) << "brighter where newer, y = " << y;
      before = now;
    }
    EXPECT_EQ(light(p, -2.3f, z), 0);
    EXPECT_EQ(light(p, 2.3f, z), 0);
  }
  EXPECT_EQ(light(p, 0.3f, 0), 0);
}

TEST_F(TrailsTest, TheRingDropsPositionsOlderThanItsLength) {
  trails.choose(1, 3);
  for (int t = 0; t < 7; ++t) record({static_cast<float>(t) - 3}, {0.5f});
  EXPECT_EQ(trails.filled(), 3u);
  const Image p = draw();
  EXPECT_GT(light(p, 2.5f, 0.5f), 0);
  EXPECT_GT(light(p, 1.5f, 0.5f), 0);
  for (const float y : {-2.5f, -0.5f, 0.5f}) EXPECT_EQ(light(p, y, 0.5f), 0) << y;
  trails.forget();
  EXPECT_EQ(light(draw(), 2.5f, 0.5f), 0);
}

TEST_F(TrailsTest, TrailsAreSpreadEvenlyOverTheBodies) {
  // 3 of 10 bodies: 0, 3 and 6.
  trails.choose(3, 4);
  std::vector<float> zs;
  for (int i = 0; i < 10; ++i) zs.push_back(static_cast<float>(i) * 0.7f - 3.2f);
  record(std::vector<float>(10, -1), zs);
  record(std::vector<float>(10, 1), zs);
  Image p = draw();
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(light(p, 0.5f, zs[i]) > 0, i == 0 || i == 3 || i == 6) << i;
  // More trails than bodies: all have one.
  trails.choose(64, 4);
  record(std::vector<float>(10, -1), zs);
  record(std::vector<float>(10, 1), zs);
  p = draw();
  for (const float z : zs) EXPECT_GT(light(p, 0.5f, z), 0) << z;
}

TEST_F(TrailsTest, TrailsStayWithTheirBodiesWhenOthersComeAndGo) {
  trails.choose(8, 8);
  record({-2, -2, -2}, {2, 0, -2});
  record({-1, -1, -1}, {2, 0, -2});
  trails.follow({0, 1, 2, ~0u}, 3);  // one is added, and marked
  marked = 3;
  record({0, 0, 0, 0}, {2, 0, -2, 1});
  marked = 0;
  trails.follow({1, 3, 2}, 4);  // the first one goes, and the last comes before the third
  record({1, 1, 1}, {0, 1, -2});
  Image p = draw();
  EXPECT_EQ(light(p, 0, 0.5f), 0) << "no line from where nothing was marked";
  for (const float y : {-1.5f, -0.5f, 0.5f}) {
    EXPECT_GT(light(p, y, 0), 0) << y;
    EXPECT_GT(light(p, y, -2), 0) << y;
    EXPECT_EQ(light(p, y, 2), 0) << "it is gone";
    EXPECT_EQ(light(p, y, 1) > 0, y > 0) << "it came late";
  }
  trails.follow({0, 1, 2, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u}, 3);
  EXPECT_EQ(trails.filled(), 0u) << "not every body has a trail";
}

TEST_F(TrailsTest, ABodyThatWasAddedComesFromNowhere) {
  trails.choose(8, 8);
  record({-2}, {2});
  trails.follow({0, ~0u}, 1);
  trails.follow({0, 1}, 2);  // as after each edit
  record({-1, 2}, {2, -2});
  record({0, 2}, {2, -1});
  const Image p = draw();
  EXPECT_EQ(light(p, 1, -1), 0) << "no line from the origin";
  EXPECT_GT(light(p, 2, -1.5f), 0);
}

TEST_F(TrailsTest, TheMarkedBodyHasATrailThatRestartsWithAnother) {
  trails.choose(0, 8);
  marked = 1;
  record({-2, -2}, {2, -2});
  record({-1, -1}, {2, -2});
  Image p = draw();
  EXPECT_GT(light(p, -1.5f, -2), 0);
  EXPECT_EQ(light(p, -1.5f, 2), 0) << "neither selected nor marked";
  marked = 0;
  record({0, 0}, {2, -2});
  record({1, 1}, {2, -2});
  p = draw();
  EXPECT_GT(light(p, 0.5f, 2), 0);
  EXPECT_EQ(light(p, -1.5f, -2), 0) << "the trail of the previous body";
  EXPECT_EQ(light(p, -0.5f, 0), 0) << "no line from one body to the other";
  marked.reset();
  record({2, 2}, {2, -2});
  EXPECT_EQ(light(draw(), 0.5f, 2), 0);
}

TEST_F(TrailsTest, LinesAreCutAtPeriodicWallsAndAtNaN) {
  trails.choose(1, 8);
  record({-1.8f}, {1});
  record({1.8f}, {1});
  EXPECT_GT(light(draw(), 0, 1), 0) << "an open box";
  period = {4, 4, 4};
  EXPECT_EQ(light(draw(), 0, 1), 0) << "it crossed the wall";
  period = {4, 8, 4};
  EXPECT_GT(light(draw(), 0, 1), 0) << "a wider box has no wall there";
  period = {};
  trails.forget();
  record({-1}, {1});
  record({std::numeric_limits<float>::quiet_NaN()}, {1});
  record({1}, {1});
  const Image p = draw();
  for (const float y : {-0.5f, 0.0f, 0.5f}) EXPECT_EQ(light(p, y, 1), 0) << y;
}

TEST_F(TrailsTest, TrailsHaveTheColoursOfTheirBodies) {
  style.colours = ColourMap::orange_blue, style.quantity = Quantity::index;
  for (const BodyShape shape : {BodyShape::points, BodyShape::spheres, BodyShape::glow}) {
    style.shape = shape;
    trails.choose(2, 8);
    trails.forget();
    record({-2, -2}, {1, -1.5f});
    record({2, 2}, {1, -1.5f});
    renderer.draw(buffer.get(),
                  {camera, static_cast<int>(kSide), static_cast<int>(kSide), 0.01f, std::nullopt, {}, &trails}, style);
    renderer.show(screen.texture(), 0, 0);
    glFinish();
    const Image p = screen.image();
    const auto sum = [&](float z, u32 channel) {  // in the middle of the line, away from both ends
      int all = 0;
      const u32 row = kSide - 1 - column(z);
      for (u32 r = row - 2; r <= row + 2; ++r) all += p.at(column(0), r)[channel];
      return all;
    };
    EXPECT_GT(sum(1, 0), 2 * sum(1, 2)) << "orange " << to_string(shape);
    EXPECT_GT(sum(-1.5f, 2), 2 * sum(-1.5f, 0)) << "blue " << to_string(shape);
  }
}

TEST_F(TrailsTest, TheLengthIsLimited) {
  trails.choose(1u << 30, 1u << 30);
  record({0}, {0});
  for (u32 t = 0; t < Trails::kMaxLength + 5; ++t) record({0}, {0});
  EXPECT_EQ(trails.filled(), Trails::kMaxLength);
}

}  // namespace
}  // namespace tri::render
