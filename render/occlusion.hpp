#pragma once
/// Ambient occlusion and contact shadows of spheres, at half the size of the picture: a pile reads as a pile, and a
/// sphere alone looks as without.

#include "render/gl/framebuffer.hpp"
#include "render/gl/names.hpp"
#include "render/gl/shader_program.hpp"

namespace tri::render {

class Occlusion {
 public:
  explicit Occlusion(const ShaderSources& sources);

  /// From depths and normals of the target; the frame must be bound, and drawing into the target have
  /// ended (glTextureBarrier).
  void shade(const gl::HdrTarget& target);
  /// Per pixel of half the size: the share of light that stays, and the depth along the view.
  GLuint shades() const noexcept { return shades_.get(); }

 private:
  gl::ShaderProgram program_;
  gl::Texture shades_;
  int width_ = 0, height_ = 0;  ///< of shades_
};

}  // namespace tri::render
