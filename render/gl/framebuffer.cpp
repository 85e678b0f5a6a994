#include "render/gl/framebuffer.hpp"

#include "render/gl/check.hpp"

namespace tri::gl {
namespace {

Texture make_picture(GLenum format, int width, int height) {
  Texture texture = make_texture(GL_TEXTURE_2D);
  glTextureStorage2D(texture.get(), 1, format, width, height);
  for (const GLenum direction : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) {
    glTextureParameteri(texture.get(), direction, GL_CLAMP_TO_EDGE);
  }
  return texture;
}

Framebuffer make_complete(const Texture& colour, const Texture& depth) {
  Framebuffer framebuffer = make_framebuffer();
  glNamedFramebufferTexture(framebuffer.get(), GL_COLOR_ATTACHMENT0, colour.get(), 0);
  glNamedFramebufferTexture(framebuffer.get(), GL_DEPTH_ATTACHMENT, depth.get(), 0);
  if (glCheckNamedFramebufferStatus(framebuffer.get(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw GlError("this driver cannot render to 16-bit floats. Use a newer driver, or software OpenGL.");
  }
  return framebuffer;
}

}  // namespace

void HdrTarget::resize(int width, int height) {
  if (width == width_ && height == height_) return;
  colour_ = make_picture(GL_RGBA16F, width, height);
  lines_ = make_picture(GL_R11F_G11F_B10F, width, height);
  depth_ = make_picture(GL_DEPTH_COMPONENT32F, width, height);
  framebuffer_ = make_complete(colour_, depth_);
  line_framebuffer_ = make_complete(lines_, depth_);
  width_ = width, height_ = height;
}

void HdrTarget::bind(const Framebuffer& framebuffer) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.get());
  glViewport(0, 0, width_, height_);
}

AlphaTarget::AlphaTarget(int width, int height)
    : colour_(make_picture(GL_RGBA16, width, height)),
      framebuffer_(make_framebuffer()),
      width_(width),
      height_(height) {
  glNamedFramebufferTexture(framebuffer_.get(), GL_COLOR_ATTACHMENT0, colour_.get(), 0);
  if (glCheckNamedFramebufferStatus(framebuffer_.get(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw GlError("this driver cannot draw pictures with alpha of 16 bits. Use a newer driver, or software OpenGL.");
  }
}

}  // namespace tri::gl
