#pragma once
/// Where chosen bodies have been: a ring of past places on the GPU, drawn as lines that fade with age. Bodies are read
/// where the renderer reads them, so nothing is copied to the host. Used with the GL context current.

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

  /// How many bodies, evenly spread over their numbers, and how many places of each, 2 at least; both are cut to what
  /// may be at most. A change forgets all. bodies 0: the marked body alone has a trail.
  void choose(u32 bodies, u32 length);
  void forget() { filled_ = head_ = 0; }
  /// Adds the places of now. `marked` has a trail beside the chosen bodies, which begins anew with another body.
  void record(const InstanceBuffer& bodies, std::optional<u32> marked);
  /// Onto the bound target, whose frame (include/frame.glsl) is bound too. Lines are not drawn across a periodic box.
  /// period: its sides, or 0 along axes that have none.
  void draw(const std::array<float, 3>& period) const;

  u32 filled() const noexcept { return filled_; }  ///< places that each trail has, at most its length

 private:
  gl::ShaderProgram record_, lines_;
  gl::VertexArray empty_;
  gl::Buffer ring_;
  u32 bodies_ = 0, length_ = 0, head_ = 0, filled_ = 0;
};

}  // namespace tri::render
