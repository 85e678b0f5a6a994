#include "render/body_counter.hpp"

#include <cstddef>
#include <cstring>

#include "render/gl/check.hpp"

namespace tri::render {
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
