#pragma once
/// The HDR render target before tone mapping: 16-bit float colour and a depth buffer.

#include "render/gl/names.hpp"

namespace tri::gl {

class HdrTarget {
 public:
  /// Reallocates if the size changes. width and height >= 1, in pixels.
  void resize(int width, int height);
  /// Binds the framebuffer and sets the viewport to its size.
  void bind() const;
  GLuint colour() const noexcept { return colour_.get(); }
  GLuint depth() const noexcept { return depth_.get(); }
  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }

 private:
  Framebuffer framebuffer_;
  Texture colour_, depth_;
  int width_ = 0, height_ = 0;
};

}  // namespace tri::gl
