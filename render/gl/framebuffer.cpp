#include "render/gl/framebuffer.hpp"

#include "render/gl/check.hpp"

namespace tri::gl {

void HdrTarget::resize(int width, int height) {
  if (width == width_ && height == height_) return;
  colour_ = make_texture(GL_TEXTURE_2D);
  depth_ = make_texture(GL_TEXTURE_2D);
  glTextureStorage2D(colour_.get(), 1, GL_RGBA16F, width, height);
  glTextureStorage2D(depth_.get(), 1, GL_DEPTH_COMPONENT32F, width, height);
  framebuffer_ = make_framebuffer();
  glNamedFramebufferTexture(framebuffer_.get(), GL_COLOR_ATTACHMENT0, colour_.get(), 0);
  glNamedFramebufferTexture(framebuffer_.get(), GL_DEPTH_ATTACHMENT, depth_.get(), 0);
  if (glCheckNamedFramebufferStatus(framebuffer_.get(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw GlError("this driver cannot render to 16-bit floats. Use a newer driver, or software OpenGL.");
  }
  width_ = width, height_ = height;
}

void HdrTarget::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
  glViewport(0, 0, width_, height_);
}

}  // namespace tri::gl
