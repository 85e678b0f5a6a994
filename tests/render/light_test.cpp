// Light: its sum, its blur and its exposure, against closed forms.

#include "render/light.hpp"

#include <cstddef>
#include <numbers>

#include "tests/render/pictures.hpp"

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
    developer.develop(target, false, metering);
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

}  // namespace
}  // namespace tri::render
