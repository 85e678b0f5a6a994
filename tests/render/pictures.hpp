#pragma once
/// One software OpenGL context per test, and drawing a list of bodies with it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "render/body_renderer.hpp"
#include "render/offscreen.hpp"

namespace tri::render {

inline constexpr u32 kSide = 200;

class Pictures : public testing::Test {
 protected:
  Image draw(const std::vector<Instance>& bodies) {
    const auto buffer = make_copy_buffer(bodies.size());
    for (int frame = 0; frame < frames; ++frame) {
      std::copy(bodies.begin(), bodies.end(), buffer->sink().instances.begin());
      buffer->written();
      FrameView view{camera, static_cast<int>(kSide), static_cast<int>(kSide), 0.01f, marked, lines};
      view.extent = extent, view.sphere_radius = sphere_radius;
      renderer.draw(buffer.get(), view, style);
      renderer.show(screen.texture(), 0, 0, shown_from);
      glFinish();
    }
    Image p = screen.image();
    screen.messages().check("draw");
    EXPECT_EQ(screen.messages().errors(), 0u) << screen.messages().texts().front();
    return p;
  }

  /// The last picture before tone mapping: linear RGB, row by row from the lower left.
  std::vector<float> light() const {
    std::vector<float> rgb(std::size_t{kSide} * kSide * 3);
    glGetTextureImage(renderer.picture().colour(), 0, GL_RGB, GL_FLOAT,
                      static_cast<GLsizei>(rgb.size() * sizeof(float)), rgb.data());
    return rgb;
  }
  /// Sum of its green channel, in pixels.
  double all_light() const {
    double sum = 0;
    const std::vector<float> rgb = light();
    for (std::size_t k = 1; k < rgb.size(); k += 3) sum += static_cast<double>(rgb[k]);
    return sum;
  }
  /// The largest channel of its four pixels in the middle.
  float middle_light() const {
    const std::vector<float> rgb = light();
    float most = 0;
    for (u32 y = kSide / 2 - 1; y <= kSide / 2; ++y) {
      const auto at = rgb.begin() + std::ptrdiff_t{3} * (y * kSide + kSide / 2 - 1);
      most = std::max(most, *std::max_element(at, at + 6));
    }
    return most;
  }
  /// It in 8 bits, by 1 - exp(-x / brightest).
  Image exposed() const {
    std::vector<float> rgb = light();
    const float brightest = *std::max_element(rgb.begin(), rgb.end());
    Image p{kSide, kSide, {}};
    for (const float x : rgb) {
      p.rgb.push_back(static_cast<u8>(std::lround(255 * to_srgb(1 - std::exp(-x / brightest)))));
    }
    return p;
  }

  Offscreen screen{kSide, kSide, Offscreen::Driver::software};
  BodyRenderer renderer{ShaderSources()};
  BodyStyle style{.shape = BodyShape::spheres, .colours = ColourMap::viridis, .background = {0, 0, 0}};
  Camera camera = [] {
    Camera c;
    c.pose = {{0, 0, 0}, 10, 0, 0};  // camera at (10, 0, 0): y to the right, z up
    return c;
  }();
  std::optional<u32> marked;
  std::vector<Line> lines;
  float extent = 1;         ///< of the scene
  float sphere_radius = 0;  ///< of a usual one
  int shown_from = 0;
  int frames = 4;  ///< per picture: once through the parts of the ring buffer, until the statistics are back
};

inline Instance body(float x, float y, float z, float radius, float speed = 0, u32 id = 0) {
  return {x, y, z, radius, speed, 1, 1, id};
}

inline bool lit(const Image& p, u32 x, u32 y) {
  const u8* rgb = p.at(x, y);
  return rgb[0] + rgb[1] + rgb[2] > 12;
}

}  // namespace tri::render
