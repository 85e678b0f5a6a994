#pragma once
/// The HDR render target before tone mapping: 16-bit float colour, a depth buffer, and a layer for lines over light.

#include "render/gl/names.hpp"

namespace tri::gl {

class HdrTarget {
 public:
  /// Reallocates if the size changes. width and height >= 1, in pixels.
  void resize(int width, int height);
  /// Binds the framebuffer and sets the viewport to its size.
  void bind() const { bind(framebuffer_); }
  /// The same for a framebuffer of the same depth, whose colour is lines(): unsigned floats, no alpha.
  void bind_lines() const { bind(line_framebuffer_); }
  GLuint colour() const noexcept { return colour_.get(); }
  GLuint depth() const noexcept { return depth_.get(); }
  GLuint lines() const noexcept { return lines_.get(); }
  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }

 private:
  void bind(const Framebuffer& framebuffer) const;

  Framebuffer framebuffer_, line_framebuffer_;
  Texture colour_, depth_, lines_;
  int width_ = 0, height_ = 0;
};

/// A picture with alpha, 16 bits a channel (GL_RGBA16), so that faint light over nothing keeps its steps.
class AlphaTarget {
 public:
  /// width and height >= 1, in pixels. Throws GlError where the driver cannot draw to it.
  AlphaTarget(int width, int height);
  GLuint texture() const noexcept { return colour_.get(); }
  /// For read_alpha_framebuffer().
  void bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get()); }
  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }

 private:
  Texture colour_;
  Framebuffer framebuffer_;
  int width_, height_;
};

}  // namespace tri::gl
