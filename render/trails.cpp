#include "render/trails.hpp"

#include <algorithm>

#include "sim/base/contracts.hpp"

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

}  // namespace tri::render
