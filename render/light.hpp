#pragma once
/// What makes a picture of light: its sum, its blur (bloom), and the tone curve that its histogram asks for. All on the
/// GPU, nothing is read back. The same picture gives the same bits.

#include <vector>

#include "render/gl/framebuffer.hpp"
#include "render/gl/names.hpp"
#include "render/gl/shader_program.hpp"

namespace tri::render {

/// How a picture is exposed.
struct Metering {
  /// Share of the way from the exposure of the last frame to the one that this frame asks for: 1, from this frame
  /// alone; 0, as it was. The first frame is always exposed by itself.
  float adaptation = 1;
  float single = 1;  ///< light per area in the middle of a single body, > 0
  float floor = 0;   ///< sRGB brightness that such a body has at least
};

class Light {
 public:
  explicit Light(const ShaderSources& sources);

  /// Adds the sums of Splats::glow(), if there are any, to the light in the target, measures and blurs it. The frame
  /// and the lists of place.comp must be bound, and drawing into the target have ended (glTextureBarrier).
  void develop(const gl::HdrTarget& target, bool summed, const Metering& metering);
  /// Binds curve and blur for tone_glow.comp.
  void bind() const;

  /// The blurred light at half the size of the picture: a mean of spots whose widths double.
  GLuint blurred() const { return levels_.front().get(); }
  /// Holds the curve, as in include/exposure.glsl.
  GLuint exposure() const { return exposure_.get(); }

 private:
  void resize(int width, int height);
  void expose(const Metering& metering);
  void blur(const gl::HdrTarget& target);

  struct Size {
    int width, height;
  };
  gl::ShaderProgram gather_, expose_, down_, up_;
  gl::Buffer exposure_;
  std::vector<gl::Texture> levels_;  ///< each half the size of the one before
  std::vector<Size> sizes_;
  int width_ = 0, height_ = 0;  ///< of the picture
};

}  // namespace tri::render
