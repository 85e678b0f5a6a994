#pragma once
/// Where the scene is drawn before tone mapping: 16-bit floats a channel (HDR) and a depth.

#include "render/gl/names.hpp"

namespace tri::gl {

class HdrTarget {
 public:
  /// Makes it anew when the size is another. width and height >= 1, in pixels.
  void resize(int width, int height);
  /// Drawing goes here, over its whole size.
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
