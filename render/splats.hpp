#pragma once
/// Draws small bodies with compute shaders, for GPUs with few or slow raster units: atomics on per-pixel words, whose
/// result is independent of order, so that images are reproducible bit for bit.

#include "render/gl/framebuffer.hpp"
#include "render/gl/names.hpp"
#include "render/gl/shader_program.hpp"

namespace tri::render {

class Splats {
 public:
  /// Side of a body's square in pixels: up to kNarrow one thread draws it, up to kMaxWidth a work group; larger bodies
  /// are rasterised.
  static constexpr float kNarrow = 10, kMaxWidth = 256;

  explicit Splats(const ShaderSources& sources);

  // matter() and glow() need the frame and the sprites and lists of place.comp bound for the same number of bodies, and
  // a target of the size of the frame.

  /// Draws spheres (`balls`) or discs into colour and depth of the target, which must be bound.
  void matter(std::size_t bodies, bool balls, const gl::HdrTarget& target);
  /// Sums light per pixel, without drawing it yet; respects the depth of the target.
  void glow(std::size_t bodies, const gl::HdrTarget& target);
  /// Binds the sums of glow() for shaders that read them.
  void bind() const;

 private:
  void clear(const gl::HdrTarget& target, bool glow);
  static void cover(std::size_t bodies, std::size_t per_group);

  gl::ShaderProgram clear_, nearest_, shade_, depth_, glow_;
  gl::VertexArray empty_;
  gl::Buffer pixels_;
  GLsizeiptr capacity_ = 0;  ///< pixels
};

/// Dispatches work groups of 16 x 8 over an image of this size.
void dispatch_pixels(int width, int height);

}  // namespace tri::render
