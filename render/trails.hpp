#pragma once
/// Trails of selected bodies: a ring buffer of past positions on the GPU, drawn as lines that fade with age. Nothing is
/// copied to the host. The GL context must be current.

#include <array>
#include <optional>

#include "render/gl/names.hpp"
#include "render/gl/shader_program.hpp"
#include "render/instance_buffer.hpp"

namespace tri::render {

class Trails {
 public:
  static constexpr u32 kMaxBodies = 4096, kMaxLength = 512;

  explicit Trails(const ShaderSources& sources);

  /// Selects `bodies` bodies, evenly spaced by index, and `length` >= 2 positions of each; both are clamped to their
  /// maximum. A change clears all trails. With 0 bodies, only the marked body has a trail.
  void choose(u32 bodies, u32 length);
  void forget() { filled_ = head_ = 0; }
  /// Appends the current positions. `marked` has a trail of its own, which restarts when the body changes.
  void record(const InstanceBuffer& bodies, std::optional<u32> marked);
  /// Draws to the bound target; the frame (include/frame.glsl) must be bound too. Lines do not cross a periodic box.
  /// period: its sides, 0 along other axes.
  void draw(const std::array<float, 3>& period) const;

  u32 filled() const noexcept { return filled_; }  ///< positions in each trail, at most its length

 private:
  gl::ShaderProgram record_, lines_;
  gl::VertexArray empty_;
  gl::Buffer ring_;
  u32 bodies_ = 0, length_ = 0, head_ = 0, filled_ = 0;
};

}  // namespace tri::render
