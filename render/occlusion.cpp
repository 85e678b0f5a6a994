#include "render/occlusion.hpp"

#include "render/splats.hpp"

namespace tri::render {

Occlusion::Occlusion(const ShaderSources& sources) : program_(sources, {"occlusion.comp"}) {}

void Occlusion::shade(const gl::HdrTarget& target) {
  const int width = (target.width() + 1) / 2, height = (target.height() + 1) / 2;
  if (width != width_ || height != height_) {
    shades_ = gl::make_texture(GL_TEXTURE_2D);
    glTextureStorage2D(shades_.get(), 1, GL_RG16F, width, height);
    width_ = width, height_ = height;
  }
  program_.use();
  glBindTextureUnit(0, target.colour());
  glBindTextureUnit(1, target.depth());
  glBindImageTexture(0, shades_.get(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RG16F);
  dispatch_pixels(width, height);
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  glBindTextureUnit(1, 0);
}

}  // namespace tri::render
