// The passes of a picture: trails, splats, light, statistics of what is drawn.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "render/body_renderer.hpp"
#include "render/gl/gl.hpp"
#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri::render {
namespace {

constexpr GLuint kBodiesBinding = 0, kRingBinding = 4;
constexpr GLint kShapeUniform = 0, kMarkedUniform = 1, kPeriodUniform = 2;
constexpr GLsizeiptr kPointBytes = 16;
constexpr GLuint kWorkGroup = 64;
constexpr u32 kNoBody = ~u32{0};

}  // namespace

Trails::Trails(const ShaderSources& sources)
    : record_(sources, {"trail.comp"}), lines_(sources, {"trail.vert", "line.frag"}), empty_(gl::make_vertex_array()) {}

void Trails::choose(u32 bodies, u32 length) {
  bodies = std::min(bodies, kMaxBodies), length = std::clamp(length, 2u, kMaxLength);
  if (bodies == bodies_ && length == length_) return;
  bodies_ = bodies, length_ = length;
  forget();
  ring_ = gl::make_buffer();
  // The last row is for the marked body.
  glNamedBufferStorage(ring_.get(), kPointBytes * (bodies + 1) * length, nullptr, 0);
}

void Trails::follow(const std::vector<u32>& before, std::size_t count) {
  if (filled_ == 0 || std::max(before.size(), count) > bodies_) return forget();
  struct Point {
    float x, y, z;
    u32 body;
  };
  static_assert(sizeof(Point) == kPointBytes);
  std::vector<Point> old(std::size_t{bodies_ + 1} * length_), now(old.size(), Point{0, 0, 0, kNoBody});
  const auto bytes = static_cast<GLsizeiptr>(old.size() * sizeof(Point));
  glGetNamedBufferSubData(ring_.get(), 0, bytes, old.data());
  const auto index = [&](u32 body) {
    const auto at = std::find(before.begin(), before.end(), body);
    return body == kNoBody || at == before.end() ? kNoBody : static_cast<u32>(at - before.begin());
  };
  for (std::size_t k = 0; k <= bodies_; ++k) {
    const std::size_t from = k == bodies_ ? k : k < before.size() ? before[k] : count;
    for (std::size_t p = 0; p < length_ && (k == bodies_ || from < count); ++p) {
      const Point& was = old[from * length_ + p];
      const bool known = was.body != kNoBody;  // else the body came later
      now[k * length_ + p] = was;
      now[k * length_ + p].body = k == bodies_ ? index(was.body) : known ? static_cast<u32>(k) : kNoBody;
    }
  }
  ring_ = gl::make_buffer();
  glNamedBufferStorage(ring_.get(), bytes, now.data(), 0);
}

void Trails::record(const InstanceBuffer& bodies, std::optional<u32> marked) {
  TRI_EXPECTS(length_ > 0);
  bodies.bind(kBodiesBinding);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kRingBinding, ring_.get());
  record_.use();
  glUniform4ui(kShapeUniform, bodies_, length_, head_, static_cast<GLuint>(bodies.size()));
  glUniform1ui(kMarkedUniform, marked.value_or(kNoBody));
  glDispatchCompute((bodies_ + 1 + kWorkGroup - 1) / kWorkGroup, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  head_ = (head_ + 1) % length_;
  filled_ = std::min(filled_ + 1, length_);
}

void Trails::draw(const std::array<float, 3>& period) const {
  if (filled_ < 2) return;
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kRingBinding, ring_.get());
  lines_.use();
  glUniform4ui(kShapeUniform, bodies_, length_, head_, filled_);
  glUniform3f(kPeriodUniform, period[0], period[1], period[2]);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  glDepthMask(GL_FALSE);
  glBindVertexArray(empty_.get());
  glDrawArraysInstanced(GL_LINES, 0, static_cast<GLsizei>(2 * (filled_ - 1)), static_cast<GLsizei>(bodies_ + 1));
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
}

namespace {

constexpr GLuint kPixelsBinding = 5, kDepthUnit = 1, kPictureImage = 0;
constexpr GLint kPatternUniform = 0, kCountUniform = 1;  // of clear.comp
constexpr GLint kPassUniform = 0, kRoundUniform = 1, kBallUniform = 2;
constexpr GLsizeiptr kPixelBytes = 16;  // for light; matter needs half
constexpr std::size_t kMaxGroups = 65535, kWideGroups = 4096;

GLuint groups(int pixels, int side) { return static_cast<GLuint>((pixels + side - 1) / side); }

}  // namespace

void dispatch_pixels(int width, int height) { glDispatchCompute(groups(width, 16), groups(height, 8), 1); }

void dispatch_band(int width, int height, int band, int bands) {
  constexpr GLint kFirstRowUniform = 7;
  const auto all = static_cast<int>(groups(height, 8)), low = all * band / bands, high = all * (band + 1) / bands;
  glUniform1i(kFirstRowUniform, 8 * low);
  glDispatchCompute(groups(width, 16), static_cast<GLuint>(high - low), 1);
}

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
    levels_.push_back(gl::make_picture(GL_RGBA16F, width, height, GL_LINEAR));
    sizes_.push_back({width, height});
  } while (levels_.size() < 2 || std::min(width, height) >= 2 * kSmallestSide);
}

auto Light::parts(const gl::HdrTarget& target, bool summed, const Metering& metering, int bands)
    -> std::vector<std::function<void()>> {
  resize(target.width(), target.height());
  std::vector<std::function<void()>> parts;
  for (int band = 0; band < bands; ++band) {
    parts.emplace_back([=, this, &target] { gather(target, summed, band, bands); });
  }
  parts.emplace_back([=, this] { expose(metering); });
  const std::size_t last = levels_.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    const int cut = std::max(1, bands >> (2 * k));  // a level has a quarter of the pixels
    for (int band = 0; band < cut; ++band) parts.emplace_back([=, this, &target] { blur_down(target, k, band, cut); });
  }
  for (std::size_t k = last; k-- > 0;) {
    const int cut = std::max(1, bands >> (2 * k));
    for (int band = 0; band < cut; ++band) parts.emplace_back([=, this] { blur_up(k, band, cut); });
  }
  return parts;
}

void Light::gather(const gl::HdrTarget& target, bool summed, int band, int bands) const {
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kExposureBinding, exposure_.get());
  gather_.use();
  glUniform1ui(kSummedUniform, summed);
  glBindImageTexture(kLightImage, target.colour(), 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA16F);
  dispatch_band(target.width(), target.height(), band, bands);
  glMemoryBarrier(kPictureBarrier | GL_SHADER_STORAGE_BARRIER_BIT);
}

void Light::expose(const Metering& metering) const {
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kExposureBinding, exposure_.get());
  expose_.use();
  glUniform1f(kAdaptationUniform, std::clamp(metering.adaptation, 0.0f, 1.0f));
  glUniform2f(kSingleUniform, metering.single, metering.floor);
  glDispatchCompute(1, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void Light::blur_down(const gl::HdrTarget& target, std::size_t k, int band, int bands) const {
  down_.use();
  glBindTextureUnit(kSourceUnit, k == 0 ? target.colour() : levels_[k - 1].get());
  glBindImageTexture(kLightImage, levels_[k].get(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
  dispatch_band(sizes_[k].width, sizes_[k].height, band, bands);
  glMemoryBarrier(kPictureBarrier);
}

void Light::blur_up(std::size_t k, int band, int bands) const {
  up_.use();
  const float share = 1 / static_cast<float>(levels_.size());  // of each level
  glUniform2f(kWeightsUniform, share, k + 2 == levels_.size() ? share : 1);
  glBindTextureUnit(kSourceUnit, levels_[k + 1].get());
  glBindImageTexture(kLightImage, levels_[k].get(), 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA16F);
  dispatch_band(sizes_[k].width, sizes_[k].height, band, bands);
  glMemoryBarrier(kPictureBarrier);
}

void Light::bind() const {
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kExposureBinding, exposure_.get());
  glBindTextureUnit(kBlurUnit, blurred());
}

Occlusion::Occlusion(const ShaderSources& sources) : program_(sources, {"occlusion.comp"}) {}

void Occlusion::shade(const gl::HdrTarget& target, int band, int bands) {
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
  dispatch_band(width, height, band, bands);
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  glBindTextureUnit(1, 0);
}

namespace {

constexpr GLuint kCountsBinding = 1;
constexpr GLsizeiptr kReadStride = 256;

/// The buffer of stats.comp, std430.
struct StatsBlock {
  u32 low = ~u32{0}, high = 0;
  u32 box_low[3] = {~u32{0}, ~u32{0}, ~u32{0}}, box_high[3] = {0, 0, 0};
  float marked[4] = {0, 0, 0, 0};
  u32 finite = 0;
};

/// The inverse of ordered() in include/bodies.glsl.
float unordered(u32 bits) {
  const u32 value = (bits & 0x80000000u) != 0 ? bits & 0x7fffffffu : ~bits;
  float f = 0;
  std::memcpy(&f, &value, sizeof f);
  return f;
}

BodyFigures read(const StatsBlock& s) {
  BodyFigures f;
  f.finite = s.finite;
  if (s.low <= s.high) f.low = unordered(s.low), f.high = unordered(s.high);
  if (s.finite > 0) {
    f.box.low = {unordered(s.box_low[0]), unordered(s.box_low[1]), unordered(s.box_low[2])};
    f.box.high = {unordered(s.box_high[0]), unordered(s.box_high[1]), unordered(s.box_high[2])};
  }
  f.marked = {s.marked[0], s.marked[1], s.marked[2]};
  return f;
}

}  // namespace

BodyCounter::BodyCounter(const ShaderSources& sources)
    : stats_(sources, {"stats.comp"}), now_(gl::make_buffer()), readback_(gl::make_buffer()) {
  glNamedBufferStorage(now_.get(), sizeof(StatsBlock), nullptr, GL_DYNAMIC_STORAGE_BIT);
  constexpr GLbitfield kAccess = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  glNamedBufferStorage(readback_.get(), kReads * kReadStride, nullptr, kAccess);
  read_memory_ =
      static_cast<const std::byte*>(glMapNamedBufferRange(readback_.get(), 0, kReads * kReadStride, kAccess));
  if (read_memory_ == nullptr) throw gl::GlError("the graphics driver cannot map memory for reading. Use a newer one.");
}

void BodyCounter::count(std::size_t bodies, std::optional<u32> marked) {
  const StatsBlock none;
  glNamedBufferSubData(now_.get(), 0, sizeof none, &none);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kCountsBinding, now_.get());
  stats_.use();
  glDispatchCompute(static_cast<GLuint>((bodies + 255) / 256), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  if (reads_[read_at_].inserted()) return;  // all readbacks are in flight; skip this frame
  glCopyNamedBufferSubData(now_.get(), readback_.get(), 0, read_at_ * kReadStride, sizeof none);
  glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
  reads_[read_at_].insert();
  read_marked_[read_at_] = marked;
  read_at_ = (read_at_ + 1) % kReads;
}

void BodyCounter::collect() {
  for (u32 k = 0; k < kReads; ++k) {
    const u32 at = (read_at_ + k) % kReads;  // oldest first
    if (!reads_[at].inserted() || !reads_[at].signaled()) continue;
    StatsBlock block;
    std::memcpy(&block, read_memory_ + at * kReadStride, sizeof block);
    figures_ = read(block);
    figures_->marked_body = read_marked_[at];
    reads_[at].reset();
  }
}

}  // namespace tri::render
