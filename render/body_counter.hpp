#pragma once
/// Statistics over all bodies, counted by the GPU and read back some frames later, without a stall.

#include <array>
#include <glm/vec3.hpp>
#include <optional>

#include "render/camera.hpp"
#include "render/gl/fence.hpp"
#include "render/gl/names.hpp"
#include "render/gl/shader_program.hpp"

namespace tri::render {

/// Statistics over all bodies, computed on the GPU some frames ago.
struct BodyFigures {
  float low = 0, high = 0;         ///< range of the coloured quantity
  Bounds box;                      ///< of the centres of all bodies
  u32 finite = 0;                  ///< bodies with finite positions
  glm::vec3 marked{0};             ///< position of the body marked in that frame
  std::optional<u32> marked_body;  ///< its index
};

class BodyCounter {
 public:
  /// Throws GlError where memory cannot be mapped.
  explicit BodyCounter(const ShaderSources& sources);

  /// Counts the bodies bound with the frame, and leaves the buffer of stats.comp bound for place.comp.
  void count(std::size_t bodies, std::optional<u32> marked);
  /// Takes over what the GPU has finished.
  void collect();
  /// Of the newest frame that the GPU has finished; nullopt before the first.
  const std::optional<BodyFigures>& figures() const noexcept { return figures_; }

 private:
  static constexpr u32 kReads = 3;
  gl::ShaderProgram stats_;
  gl::Buffer now_, readback_;
  std::array<gl::Fence, kReads> reads_;
  std::array<std::optional<u32>, kReads> read_marked_;  ///< the marked body of each
  const std::byte* read_memory_ = nullptr;
  u32 read_at_ = 0;
  std::optional<BodyFigures> figures_;
};

}  // namespace tri::render
