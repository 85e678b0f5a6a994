// Trails with software OpenGL: the positions of their lines, fading, length, and where they are cut.

#include "render/trails.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/body_renderer.hpp"
#include "render/offscreen.hpp"

namespace tri::render {
namespace {

constexpr u32 kSide = 200;

struct TrailsTest : testing::Test {
  Offscreen screen{kSide, kSide, Offscreen::Driver::software};
  BodyRenderer renderer{ShaderSources()};
  Trails trails{ShaderSources()};
  BodyStyle style{.shape = BodyShape::points, .point_pixels = 0.01f, .background = {0, 0, 0}};
  Camera camera = [] {
    Camera c;
    c.pose = {{0, 0, 0}, 10, 0, 0};  // camera at (10, 0, 0): y to the right, z up
    return c;
  }();
  std::optional<u32> marked;
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
