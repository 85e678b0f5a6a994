#pragma once
/// Small bodies drawn by threads that compute, where the units that draw are few or slow: straight into words of memory
/// a pixel, by atomics, whose outcome depends on no order. A picture of one state is the same bits each time.

#include "render/gl/framebuffer.hpp"
#include "render/gl/names.hpp"
#include "render/gl/shader_program.hpp"

namespace tri::render {

class Splats {
 public:
  /// Sides in pixels of the square about a body: up to the first, one thread does it; up to the second, a work group;
  /// what is larger is drawn.
  static constexpr float kNarrow = 10, kWidest = 256;

  explicit Splats(const ShaderSources& sources);

  /// What follows needs the frame and the sprites and lists of place.comp bound, for as many bodies, and the size of
  /// the target to be that of the frame.

  /// Spheres (`balls`) or discs into colour and depth of the target, which is bound.
  void matter(std::size_t bodies, bool balls, const gl::HdrTarget& target);
  /// Sums up the light; it goes into no picture yet. Hidden by what the target's depth has.
  void glow(std::size_t bodies, const gl::HdrTarget& target);
  /// For shaders that read what glow() summed up.
  void bind() const;

 private:
  void clear(const gl::HdrTarget& target, bool glow);
  static void cover(std::size_t bodies, std::size_t a_group);

  gl::ShaderProgram clear_, nearest_, shade_, depth_, glow_;
  gl::VertexArray empty_;
  gl::Buffer pixels_;
  GLsizeiptr room_ = 0;  ///< pixels
};

/// Work groups of 16 by 8 over a picture of this size.
void dispatch_pixels(int width, int height);

}  // namespace tri::render
