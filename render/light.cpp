#include "render/light.hpp"

#include <algorithm>
#include <array>

#include "render/splats.hpp"
#include "sim/base/platform.hpp"

namespace tri::render {
namespace {

constexpr GLuint kExposureBinding = 6, kLightImage = 0, kSourceUnit = 0, kBlurUnit = 1;
constexpr GLint kSummedUniform = 0, kAdaptationUniform = 0, kSingleUniform = 1, kWeightsUniform = 0;
constexpr std::size_t kExposureWords = 128 + 3;  // include/exposure.glsl
constexpr int kSmallestSide = 10;                // pixels of the last level

constexpr GLbitfield kPictureBarrier = GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT;

}  // namespace

Light::Light(const ShaderSources& sources)
    : gather_(sources, {"gather.comp"}),
      expose_(sources, {"expose.comp"}),
      down_(sources, {"blur_down.comp"}),
      up_(sources, {"blur_up.comp"}),
      exposure_(gl::make_buffer()) {
  constexpr std::array<u32, kExposureWords> kNothing{};
  glNamedBufferStorage(exposure_.get(), sizeof kNothing, kNothing.data(), 0);
}

void Light::resize(int width, int height) {
  if (width == width_ && height == height_) return;
  width_ = width, height_ = height;
  levels_.clear(), sizes_.clear();
  do {  // at least two
    width = (width + 1) / 2, height = (height + 1) / 2;
    gl::Texture& level = levels_.emplace_back(gl::make_texture(GL_TEXTURE_2D));
    glTextureStorage2D(level.get(), 1, GL_RGBA16F, width, height);
    for (const GLenum direction : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) {
      glTextureParameteri(level.get(), direction, GL_CLAMP_TO_EDGE);
    }
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) {
      glTextureParameteri(level.get(), filter, GL_LINEAR);
    }
    sizes_.push_back({width, height});
  } while (levels_.size() < 2 || std::min(width, height) >= 2 * kSmallestSide);
}

void Light::develop(const gl::HdrTarget& target, bool summed, const Metering& metering) {
  resize(target.width(), target.height());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kExposureBinding, exposure_.get());
  gather_.use();
  glUniform1ui(kSummedUniform, summed);
  glBindImageTexture(kLightImage, target.colour(), 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA16F);
  dispatch_pixels(target.width(), target.height());
  glMemoryBarrier(kPictureBarrier | GL_SHADER_STORAGE_BARRIER_BIT);
  expose(metering);
  blur(target);
}

void Light::expose(const Metering& metering) {
  expose_.use();
  glUniform1f(kAdaptationUniform, std::clamp(metering.adaptation, 0.0f, 1.0f));
  glUniform2f(kSingleUniform, metering.single, metering.floor);
  glDispatchCompute(1, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void Light::blur(const gl::HdrTarget& target) {
  down_.use();
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    glBindTextureUnit(kSourceUnit, k == 0 ? target.colour() : levels_[k - 1].get());
    glBindImageTexture(kLightImage, levels_[k].get(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
    dispatch_pixels(sizes_[k].width, sizes_[k].height);
    glMemoryBarrier(kPictureBarrier);
  }
  up_.use();
  const float share = 1 / static_cast<float>(levels_.size());  // of each level
  for (std::size_t k = levels_.size() - 1; k-- > 0;) {
    const bool first = k + 2 == levels_.size();
    glUniform2f(kWeightsUniform, share, first ? share : 1);
    glBindTextureUnit(kSourceUnit, levels_[k + 1].get());
    glBindImageTexture(kLightImage, levels_[k].get(), 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA16F);
    dispatch_pixels(sizes_[k].width, sizes_[k].height);
    glMemoryBarrier(kPictureBarrier);
  }
}

void Light::bind() const {
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kExposureBinding, exposure_.get());
  glBindTextureUnit(kBlurUnit, blurred());
}

}  // namespace tri::render
