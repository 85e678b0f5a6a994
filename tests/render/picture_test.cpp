// Pictures of known scenes with software OpenGL: positions, occlusion, and the GPU's statistics.

#include <unistd.h>
#include <limits>
#include <utility>

#include <glm/vec4.hpp>

#include "tests/render/pictures.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::render {
namespace {

/// Draws every picture both ways: small bodies as points and as splats.
class PictureTest : public Pictures, public testing::WithParamInterface<SmallBodies> {
 protected:
  PictureTest() { style.small = GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(BothWays, PictureTest, testing::Values(SmallBodies::points, SmallBodies::splats),
                         [](const auto& way) { return way.param == SmallBodies::points ? "points" : "splats"; });

TEST_P(PictureTest, ASphereCoversItsProjectedDisc) {
  const float radius = 1.5f;
  const Image p = draw({body(0, 0, 0, radius)});
  // The tangent cone of a sphere has sin(a) = r / d; its radius in the picture is tan(a) / tan(fov / 2) of half the
  // side.
  const float seen = std::tan(std::asin(radius / 10)) / std::tan(camera.field_of_view / 2) * kSide / 2;
  u32 count = 0;
  for (u32 y = 0; y < kSide; ++y) {
    for (u32 x = 0; x < kSide; ++x) {
      const float dx = static_cast<float>(x) + 0.5f - kSide / 2, dy = static_cast<float>(y) + 0.5f - kSide / 2;
      const float away = std::hypot(dx, dy);
      if (away < seen - 1) {
        EXPECT_TRUE(lit(p, x, y)) << x << " " << y;
      }
      if (away > seen + 1) {
        EXPECT_FALSE(lit(p, x, y)) << x << " " << y;
      }
      count += lit(p, x, y);
    }
  }
  EXPECT_NEAR(count, 3.14159f * seen * seen, 0.03 * 3.14159f * seen * seen);
}

TEST_P(PictureTest, SmallAndLargeSpheresAgree) {
  // A sphere of 50 pixels is drawn as a point, one of 70 as a square: between the two the disc must grow steadily.
  for (const float radius : {1.0f, 1.1f, 1.2f, 1.25f, 1.3f, 1.35f, 1.5f, 2.0f}) {
    for (const float aside : {0.0f, 1.6f}) {
      const Image p = draw({body(0, aside, 0, radius)});
      u32 count = 0;
      for (u32 y = 0; y < kSide; ++y) {
        for (u32 x = 0; x < kSide; ++x) count += lit(p, x, y);
      }
      // The cone of half-angle a about a direction at angle b from the axis meets the picture's plane (at distance 1)
      // in an ellipse with the half-axes sin a cos a / (cos^2 a - sin^2 b) and sin a / sqrt(cos^2 a - sin^2 b).
      const double away = std::hypot(10.0, aside), sin_a = radius / away, sin_b = aside / away;
      const double rest = 1 - sin_a * sin_a - sin_b * sin_b;
      const double pixel = kSide / 2 / std::tan(camera.field_of_view / 2);
      const double area =
          3.14159265 * sin_a * std::sqrt(1 - sin_a * sin_a) / rest * sin_a / std::sqrt(rest) * pixel * pixel;
      EXPECT_NEAR(count, area, 0.02 * area + 8) << radius << " " << aside;
    }
  }
}

TEST_P(PictureTest, ABodyAcrossTheEdgeIsDrawnInPart) {
  // Its centre is 0.1 outside the right edge: the left half of its disc is in the picture.
  const float edge = 10 * std::tan(camera.field_of_view / 2);
  const Image p = draw({body(0, edge + 0.1f, 0, 0.8f)});
  EXPECT_TRUE(lit(p, kSide - 3, kSide / 2));
  EXPECT_FALSE(lit(p, kSide - 40, kSide / 2));
  const Image away = draw({body(0, edge + 2, 0, 0.8f)}), behind = draw({body(14, 0, 0, 0.8f)});
  for (u32 y = 0; y < kSide; ++y) {
    ASSERT_FALSE(lit(away, kSide - 1, y));
    for (u32 x = 0; x < kSide; x += 5) ASSERT_FALSE(lit(behind, x, y));
  }
}

TEST_P(PictureTest, AxesPointRightAndUp) {
  const Image p = draw({body(0, 2, 1, 0.5f)});
  const float scale = kSide / 2 / std::tan(camera.field_of_view / 2) / 10;
  const u32 x = static_cast<u32>(kSide / 2 + 2 * scale), y = static_cast<u32>(kSide / 2 - 1 * scale);
  EXPECT_TRUE(lit(p, x, y));
  EXPECT_FALSE(lit(p, kSide - x, y));
  EXPECT_FALSE(lit(p, x, kSide - y));
}

TEST_P(PictureTest, SpheresIntersectAtTheirSurfaces) {
  // Two spheres that intersect: the nearer one covers the centre, the other one its own side, and the
  // border is where the surfaces intersect, not the squares. The order in the buffer does not matter.
  const Instance a = body(0, -0.5f, 0, 1, 0, 0), b = body(0.2f, 0.5f, 0, 1, 1, 1);
  const Image one = draw({a, b});
  const Image other = draw({b, a});
  EXPECT_EQ(one.rgb, other.rgb);
  // Along the middle row: purple (slow) at the left, yellow (fast) at the right, one change between.
  int changes = 0;
  u32 border = 0;
  bool was_fast = false;
  for (u32 x = 60; x < 140; ++x) {
    if (!lit(one, x, kSide / 2)) continue;
    const u8* rgb = one.at(x, kSide / 2);
    const bool fast = rgb[1] > rgb[2];
    if (fast != was_fast) ++changes, border = x;
    was_fast = fast;
  }
  EXPECT_EQ(changes, 1);
  EXPECT_TRUE(was_fast);
  // Equal spheres intersect in the plane half-way between their centres: 0.2 (x - 0.1) + y = 0, on the first sphere at
  // z = 0 in (0.94353, -0.16871). The outline of the nearer one would lie 8 pixels to the left.
  const float at = -0.16871f / (10 - 0.94353f) / std::tan(camera.field_of_view / 2) * kSide / 2 + kSide / 2;
  EXPECT_NEAR(border, at, 1.5);
}

TEST_P(PictureTest, ColoursSpanTheRangeOfTheQuantity) {
  style.shape = BodyShape::points;
  style.point_pixels = 6;
  const Image p = draw({body(0, -2, 0, 0, 3), body(0, 0, 0, 0, 4), body(0, 2, 0, 0, 5)});
  const float scale = kSide / 2 / std::tan(camera.field_of_view / 2) / 10;
  for (int k = -1; k <= 1; ++k) {
    const auto expected = sample(ColourMap::viridis, 0.5f + 0.5f * static_cast<float>(k));
    const u8* got = p.at(static_cast<u32>(kSide / 2 + static_cast<float>(2 * k) * scale), kSide / 2);
    for (int c = 0; c < 3; ++c) {
      // Tone mapping compresses light above 0.8 and must keep light below.
      const float want = expected[static_cast<std::size_t>(c)];
      EXPECT_NEAR(got[c], 255 * want, want > 0.9f ? 16 : 4) << k << " " << c;
    }
  }
}

/// A selected galaxy was of a colour that the legend does not have.
TEST_P(PictureTest, SelectedBodiesKeepTheirColourAndTheOthersAreDim) {
  style.shape = BodyShape::points, style.point_pixels = 6;
  const std::vector<Instance> bodies{body(0, -2, 0, 0, 3, 0), body(0, 2, 0, 0, 5, 1)};
  const Image plain = draw(bodies);
  renderer.set_marks(std::vector{BodyRenderer::kSelected, BodyRenderer::kDim});
  const Image chosen = draw(bodies);
  const auto at = [this](const Image& p, float y) {
    const float scale = kSide / 2 / std::tan(camera.field_of_view / 2) / 10;
    return p.at(static_cast<u32>(kSide / 2 + y * scale), kSide / 2);
  };
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(at(chosen, -2)[c], at(plain, -2)[c]) << c;
    EXPECT_LT(at(chosen, 2)[c], 0.6 * at(plain, 2)[c] + 1) << c;
    EXPECT_GT(at(chosen, 2)[c], 0.2 * at(plain, 2)[c]) << c;
  }
}

TEST_P(PictureTest, GpuStatistics) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Instance> bodies;
  for (u32 i = 0; i < 1000; ++i) {  // not a multiple of the work group
    const float t = static_cast<float>(i);
    bodies.push_back({-3 + 0.001f * t, 5 - 0.002f * t, 0.5f * t, 0.1f, 10 + t, 0, 1, i});
  }
  bodies[400] = {nan, 900, 900, 0.1f, nan, 0, 1, 400};
  marked = 999;
  draw(bodies);
  ASSERT_TRUE(renderer.figures());
  const BodyFigures& f = *renderer.figures();
  EXPECT_EQ(f.finite, 999u);
  EXPECT_EQ(f.low, 10);
  EXPECT_EQ(f.high, 1009);
  EXPECT_EQ(f.box.low, glm::vec3(-3, 5 - 0.002f * 999, 0));
  EXPECT_EQ(f.box.high, glm::vec3(-3 + 0.001f * 999, 5, 499.5f));
  EXPECT_EQ(f.marked, glm::vec3(-3 + 0.001f * 999, 5 - 0.002f * 999, 499.5f));
  EXPECT_EQ(f.marked_body, 999u);
  marked.reset();
  draw(bodies);
  EXPECT_EQ(renderer.figures()->marked_body, std::nullopt);
}

TEST_P(PictureTest, ALogarithmicScaleSkipsNonPositiveValues) {
  style.logarithmic = true;
  draw({body(0, 0, 0, 1, 0), body(0, 0, 1, 1, 0.01f), body(0, 1, 1, 1, 100), body(0, 1, 2, 1, -5)});
  ASSERT_TRUE(renderer.figures());
  EXPECT_FLOAT_EQ(renderer.figures()->low, 0.01f);
  EXPECT_FLOAT_EQ(renderer.figures()->high, 100);
}

TEST_P(PictureTest, GlowAddsUpAndNeverClips) {
  style.shape = BodyShape::glow;
  style.size = 20;
  // Bodies 0 and 1 set the colour range, away from the centre.
  std::vector<Instance> bodies{body(0, -3, -3, 0, 0, 0), body(0, 3, 3, 0, 2, 1), body(0, 0, 0, 0, 1, 2)};
  const auto brightness = [&](const Image& p) {
    const u8* rgb = p.at(kSide / 2 + 4, kSide / 2);
    return rgb[0] + rgb[1] + rgb[2];
  };
  const int one = brightness(draw(bodies));
  bodies.push_back(body(0, 0, 0, 0, 1, 3));
  const int two = brightness(draw(bodies));
  for (u32 k = 4; k < 40; ++k) bodies.push_back(body(0, 0, 0, 0, 1, k));
  const int many = brightness(draw(bodies));
  EXPECT_GT(one, 20);
  EXPECT_GT(two, one + 10);
  EXPECT_GT(many, two + 10);
}

TEST_P(PictureTest, ABodyDrawnLargerIsAsMuchDimmer) {
  style.shape = BodyShape::glow;
  const auto take = [&](float size) {
    style.size = size;
    draw({body(0, 0.021f, 0.021f, 0, 1, 0)});  // the centre of a pixel
    return std::pair{all_light(), static_cast<double>(middle_light())};
  };
  // Below the smallest size nothing changes; above it the area grows with the square.
  const auto least = take(0.1f), less = take(0.5f), some = take(4), twice = take(8);
  EXPECT_EQ(least, less);
  EXPECT_NEAR(twice.first / some.first, 1, 0.03);
  EXPECT_NEAR(some.second / twice.second, 4, 0.2);
  EXPECT_NEAR(some.first / less.first, 1, 0.03);
}

TEST_P(PictureTest, TheBackgroundHasTheRequestedColour) {
  style.background = {0.5f, 0.25f, 0.125f};
  for (const BodyShape shape : {BodyShape::spheres, BodyShape::glow}) {
    for (const float exposure : {0.5f, 1.0f, 2.0f}) {
      style.shape = shape, style.exposure = exposure;
      const Image p = draw({body(0, 0, 0, 0.01f)});
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(p.at(3, 3)[c], 255 * style.background[static_cast<std::size_t>(c)], 2);
    }
  }
}

TEST_P(PictureTest, ASplitViewShowsPartOfAnotherPicture) {
  const Image one = draw({body(0, 0, 0, 1.5f, 0, 0), body(0, 90, 0, 1, 1, 1)});
  style.colours = ColourMap::cividis;
  const Image other = draw({body(0, 0, 0, 1.5f, 1, 0), body(0, 90, 0, 1, 0, 1)});
  ASSERT_NE(one.rgb, other.rgb);
  style.colours = ColourMap::viridis;
  draw({body(0, 0, 0, 1.5f, 0, 0), body(0, 90, 0, 1, 1, 1)});
  style.colours = ColourMap::cividis;
  shown_from = 90;
  const Image both = draw({body(0, 0, 0, 1.5f, 1, 0), body(0, 90, 0, 1, 0, 1)});
  for (u32 y = 0; y < kSide; ++y) {
    for (u32 x = 0; x < kSide; ++x) {
      ASSERT_TRUE(std::equal(both.at(x, y), both.at(x, y) + 3, (x < 90 ? one : other).at(x, y))) << x << " " << y;
    }
  }
}

/// Between its parts others draw, as the window does while a film is made.
TEST_P(PictureTest, PartsMakeTheSamePicture) {
  const std::vector<Instance> bodies{body(0, -1, 0, 0.8f, 0, 0), body(0.3f, 0.6f, 1.9f, 1, 1, 1),
                                     body(0, 1.5f, -2, 0.004f, 2, 2), body(0.1f, 0.2f, 0.1f, 0.3f, 3, 3)};
  BodyRenderer other{ShaderSources()};
  const auto far = make_copy_buffer(1);
  far->sink().instances[0] = body(0, 0, 0, 3);
  far->written();
  for (const BodyShape shape : {BodyShape::spheres, BodyShape::glow, BodyShape::points}) {
    style.shape = shape, style.ordered = true, style.small = GetParam();
    lines = {{{0, -3, -3}, {0, 3, 3}, {1, 1, 1}}};
    const Image whole = draw(bodies);
    const auto buffer = make_copy_buffer(bodies.size());
    std::copy(bodies.begin(), bodies.end(), buffer->sink().instances.begin());
    buffer->written();
    for (const int bands : {1, 2, 7}) {
      const FrameView view{camera, static_cast<int>(kSide), static_cast<int>(kSide), 0.01f, marked, lines};
      renderer.begin(buffer.get(), view, style);
      const auto disturb = [&] {
        BodyStyle plain = style;
        plain.shape = BodyShape::spheres, plain.colours = ColourMap::plain;
        other.draw(far.get(), {camera, 50, 40, 0.5f, {}, {}}, plain);
        other.show(screen.texture(), 0, 0);
      };
      for (int band = 0; band < bands; ++band) disturb(), renderer.band(band, bands);
      disturb();
      renderer.finish();
      disturb();
      renderer.show(screen.texture(), 0, 0);
      glFinish();
      EXPECT_EQ(screen.image().rgb, whole.rgb) << static_cast<int>(shape) << ", " << bands << " bands";
    }
  }
  EXPECT_EQ(screen.messages().errors(), 0u);
}

TEST_P(PictureTest, LinesHideBehindSpheres) {
  lines = {{{0, -5, 0}, {0, 5, 0}, {0, 0.6f, 0}}};
  const Image p = draw({body(3, 0, 0, 0.5f)});
  u32 green = 0;
  for (u32 x = 0; x < kSide; ++x) {
    for (u32 y = kSide / 2 - 2; y < kSide / 2 + 2; ++y) {
      const u8* rgb = p.at(x, y);
      if (rgb[1] > 150 && rgb[0] < 20 && rgb[2] < 20) ++green;
    }
  }
  // The whole width except the sphere: its tangent cone has sin(a) = 0.5 / 7.
  const float sphere = 2 * std::tan(std::asin(0.5f / 7)) / std::tan(camera.field_of_view / 2) * kSide / 2;
  EXPECT_NEAR(green, kSide - sphere, 5);
}

TEST(Shaders, EveryOneCompiles) {
  const ShaderSources sources;
  ASSERT_FALSE(sources.names().empty());
  const Offscreen screen(1, 1, Offscreen::Driver::software);
  for (const std::string_view name : sources.names()) {
    if (name.ends_with(".comp")) {
      EXPECT_NO_THROW(gl::ShaderProgram(sources, {name})) << name;
    } else if (name.ends_with(".vert")) {
      const std::string_view partner = name == "line.vert" || name == "trail.vert" ? "line.frag"
                                       : name == "full.vert"                       ? "depth.frag"
                                                                                   : "glow.frag";
      EXPECT_NO_THROW(gl::ShaderProgram(sources, {name, partner})) << name;
    }
  }
}

TEST(Shaders, AFileInTheFolderReplacesTheEmbeddedOne) {
  const Offscreen screen(1, 1, Offscreen::Driver::software);
  const std::string nonsense = "void main() { nonsense; }\n";
  for (const auto& [file, text] : {std::pair("depth.frag", "#version 450 core\n" + nonsense),
                                   std::pair("splats.glsl", "// Others.\n\n//@ depth.frag\n" + nonsense)}) {
    const test::TempFolder folder;
    folder.file(file, text);
    const ShaderSources sources(folder.path());
    EXPECT_EQ(sources.text("full.vert"), ShaderSources().text("full.vert"));
    try {
      gl::ShaderProgram(sources, {"full.vert", "depth.frag"});
      ADD_FAILURE() << "nonsense compiled";
    } catch (const gl::GlError& error) {
      EXPECT_NE(std::string(error.what()).find("depth.frag"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_THROW(ShaderSources("/no/such/folder"), FileError);
}

/// Lights larger than the largest point, overlapping each other and the edges, among small ones.
std::vector<Instance> wide_lights() {
  std::vector<Instance> bodies;
  for (u32 k = 0; k < 1500; ++k) {
    const auto part = [k](u32 step) { return static_cast<float>(k * step % 1009) / 1009 - 0.5f; };
    const float near = k % 3 == 0 ? 8.5f : 0;  // distance 2 or 10 from the camera
    bodies.push_back(body(near + part(17), 8 * part(389), 8 * part(631), 0, static_cast<float>(k % 97), k));
  }
  return bodies;
}

TEST_P(PictureTest, OrderedLightsAreBitEqualInEveryRun) {
  const auto bodies = wide_lights();
  frames = 1;
  style.shape = BodyShape::glow, style.size = 100;
  const Image any = draw(bodies);
  style.ordered = true;
  const Image first = draw(bodies);
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(draw(bodies).rgb == first.rgb) << "time " << k;
  int most = 0;
  u64 light = 0;
  for (std::size_t k = 0; k < any.rgb.size(); ++k) {
    most = std::max(most, std::abs(int{any.rgb[k]} - int{first.rgb[k]}));
    light += first.rgb[k];
  }
  EXPECT_LE(most, 4);  // 16-bit floats in another order
  EXPECT_GT(light / any.rgb.size(), 20u);
}

TEST_P(PictureTest, TheOrderDoesNotChangeOpaqueBodies) {
  const auto bodies = wide_lights();
  style.size = 6;
  const Image any = draw(bodies);
  style.ordered = true;
  EXPECT_TRUE(draw(bodies).rgb == any.rgb);
}

// Picking: the visible body at a pixel, against its projected position.

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
