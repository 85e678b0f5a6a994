#pragma once
/// One software OpenGL context per test, and drawing a list of bodies with it.

#include <gtest/gtest.h>

#include <algorithm>
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
      renderer.draw(buffer.get(), {camera, static_cast<int>(kSide), static_cast<int>(kSide), 0.01f, marked, lines},
                    style);
      renderer.show(screen.texture(), 0, 0, shown_from);
      glFinish();
    }
    Image p = screen.image();
    screen.messages().check("draw");
    EXPECT_EQ(screen.messages().errors(), 0u) << screen.messages().texts().front();
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
