#include "render/splats.hpp"

#include <algorithm>

namespace tri::render {
namespace {

constexpr GLuint kPixelsBinding = 5, kDepthUnit = 1, kPictureImage = 0;
constexpr GLint kPatternUniform = 0, kCountUniform = 1;  // of clear.comp
constexpr GLint kPassUniform = 0, kRoundUniform = 1, kBallUniform = 2;
constexpr GLsizeiptr kPixelBytes = 16;  // for light; matter needs half
constexpr std::size_t kMaxGroups = 65535, kWideGroups = 4096;

GLuint groups(int pixels, int side) { return static_cast<GLuint>((pixels + side - 1) / side); }

}  // namespace

void dispatch_pixels(int width, int height) { glDispatchCompute(groups(width, 16), groups(height, 8), 1); }

Splats::Splats(const ShaderSources& sources)
    : clear_(sources, {"clear.comp"}),
      nearest_(sources, {"nearest.comp"}),
      shade_(sources, {"shade.comp"}),
      depth_(sources, {"full.vert", "depth.frag"}),
      glow_(sources, {"glow.comp"}),
      empty_(gl::make_vertex_array()) {}

void Splats::clear(const gl::HdrTarget& target, bool glow) {
  const GLsizeiptr pixels = GLsizeiptr{target.width()} * target.height();
  if (pixels > capacity_) {
    pixels_ = gl::make_buffer();
    glNamedBufferStorage(pixels_.get(), pixels * kPixelBytes, nullptr, 0);
    capacity_ = pixels;
  }
  bind();
  clear_.use();
  // Four words per pixel for light; two for matter: depth 0 and no body.
  const GLuint no_body = glow ? 0 : ~GLuint{0};
  const GLsizeiptr fours = glow ? pixels : (pixels + 1) / 2;
  glUniform4ui(kPatternUniform, 0, no_body, 0, no_body);
  glUniform1ui(kCountUniform, static_cast<GLuint>(fours));
  const std::size_t groups_of_256 = (static_cast<std::size_t>(fours) + 255) / 256;
  glDispatchCompute(static_cast<GLuint>(std::min(groups_of_256, kMaxGroups)), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  glBindTextureUnit(kDepthUnit, target.depth());
  glTextureBarrier();  // lines were drawn into this depth buffer
}

void Splats::bind() const { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kPixelsBinding, pixels_.get()); }

/// Dispatches the current program for small bodies, per_group to a work group, then for wide ones.
void Splats::cover(std::size_t bodies, std::size_t per_group) {
  glUniform1ui(kPassUniform, 0);
  glDispatchCompute(static_cast<GLuint>(std::min((bodies + per_group - 1) / per_group, kMaxGroups)), 1, 1);
  glUniform1ui(kPassUniform, 1);
  glDispatchCompute(static_cast<GLuint>(std::min(bodies, kWideGroups)), 1, 1);
}

void Splats::matter(std::size_t bodies, bool balls, const gl::HdrTarget& target) {
  clear(target, false);
  nearest_.use();
  glUniform1ui(kBallUniform, balls);
  for (const GLuint round : {0u, 1u}) {
    glUniform1ui(kRoundUniform, round);
    cover(bodies, 64);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  }
  shade_.use();
  glUniform1ui(kBallUniform, balls);
  glBindImageTexture(kPictureImage, target.colour(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  dispatch_pixels(target.width(), target.height());
  glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  glBindTextureUnit(kDepthUnit, 0);
  depth_.use();
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  glBindVertexArray(empty_.get());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void Splats::glow(std::size_t bodies, const gl::HdrTarget& target) {
  clear(target, true);
  glow_.use();
  cover(bodies, 16);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  glBindTextureUnit(kDepthUnit, 0);
}

}  // namespace tri::render
