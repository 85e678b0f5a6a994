#pragma once
/// Draws bodies and lines into an HDR target and tone-maps it to the screen.

#include <array>
#include <glm/vec3.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "render/body_counter.hpp"
#include "render/body_style.hpp"
#include "render/camera.hpp"
#include "render/gl/framebuffer.hpp"
#include "render/gl/gpu_timer.hpp"
#include "render/gl/shader_program.hpp"
#include "render/instance_buffer.hpp"
#include "render/light.hpp"
#include "render/occlusion.hpp"
#include "render/splats.hpp"
#include "render/trails.hpp"

namespace tri::render {

/// A line in the scene; colour is linear RGB.
struct Line {
  glm::vec3 from, to;
  std::array<float, 3> colour;
};

/// Contents of a frame.
struct FrameView {
  const Camera& camera;
  int width, height;          ///< of the image in pixels, >= 1
  float body_radius;          ///< scene units, for bodies of radius 0
  std::optional<u32> marked;  ///< body drawn brighter, whose position is in figures()
  std::vector<Line> lines;
  const Trails* trails = nullptr;  ///< drawn with depth among the bodies
  std::array<float, 3> period{};   ///< sides of a periodic box, across which trails are not drawn; 0 = not periodic
  float extent = 1;                ///< size of the scene, in its units; all glow together is that of its square
  float adaptation = 1;            ///< of the exposure of glow, as in Metering
  float sphere_radius = 0;         ///< of a usual sphere, for its shadows; 0: body_radius
};

class BodyRenderer {
 public:
  /// Throws GlError for shaders that do not compile, ConfigError for an invalid TRIANGULUM_SMALL_BODIES.
  explicit BodyRenderer(const ShaderSources& sources);

  /// How much light each body has beside the others when it glows, by its number; none: all the same. Frames of another
  /// number of bodies ignore it.
  void set_luminosities(std::span<const float> luminosities);

  /// How bodies are drawn beside the others, by their number: 0, as usual. None: all as usual. Frames of another number
  /// of bodies ignore it.
  static constexpr u32 kSelected = 1, kHidden = 2;
  void set_marks(std::span<const u32> marks);

  /// Draws the bodies of the buffer (nullptr: none) and the lines.
  void draw(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style);
  /// Tone-maps into a GL_RGBA8 texture, at (x, y) from the lower left; columns before first_column stay unchanged.
  void show(GLuint screen, int x, int y, int first_column = 0);
  /// The same at the lower left of an AlphaTarget's texture, over nothing: bodies and lines cover it; glow does as far
  /// as it is bright, so that it looks over any background, blended in linear light, as it does over its own.
  void show_transparent(GLuint screen);

  /// GPU times of a frame some frames ago, in ms. light: of exposure and blur, or of occlusion.
  struct Costs {
    double count = 0, place = 0, splat = 0, draw = 0, light = 0, tone = 0;
  };
  Costs costs() const {
    return {timers_[0].ms(), timers_[1].ms(), timers_[4].ms(), timers_[2].ms(), timers_[5].ms(), timers_[3].ms()};
  }

  /// One of those parts, in seconds of the GPU's clock.
  struct Work {
    const char* name;  ///< a literal
    double begin, end;
  };
  /// The parts that were read back since the last call.
  std::vector<Work> take_work();

  /// Statistics of the newest frame that the GPU has finished; nullopt before the first.
  const std::optional<BodyFigures>& figures() const noexcept { return counter_.figures(); }

  /// The last frame before tone mapping, and the exposure and blur of its light.
  const gl::HdrTarget& picture() const noexcept { return target_; }
  const Light& light() const noexcept { return light_; }

 private:
  void write_frame(std::size_t bodies, const FrameView& view, const BodyStyle& style);
  void clear(bool glow) const;
  void set_colours(const BodyStyle& style);
  void place(std::size_t bodies, bool ordered);
  bool splats(SmallBodies small) const;
  void draw_bodies(std::size_t bodies, BodyShape shape, bool splats);
  void draw_lines(const std::vector<Line>& lines);
  void finish(bool glow, bool spheres);
  void tone(GLuint screen, GLenum format, int x, int y, int first_column);

  /// Programs for many small and for few large bodies of a shape.
  struct Shape {
    gl::ShaderProgram small, large;
  };
  gl::ShaderProgram place_;
  Shape spheres_, glow_, points_;
  gl::ShaderProgram lines_, tone_, tone_glow_;
  Splats splats_;
  Light light_;
  Occlusion occlusion_;
  BodyCounter counter_;
  SmallBodies default_small_;                                        ///< for SmallBodies::automatic
  bool light_is_summed_ = false, glows_ = false, occluded_ = false;  ///< in the last frame
  Metering metering_;                                                ///< of this frame
  gl::HdrTarget target_;
  gl::VertexArray empty_, line_array_;
  gl::Buffer frame_, line_buffer_, sprites_, lists_, luminosities_, marks_;
  std::size_t luminosity_count_ = 0, mark_count_ = 0;
  double luminosity_sum_ = 0;
  std::size_t capacity_ = 0;  ///< of the sprite buffers, in bodies
  float max_point_ = 1;
  gl::Texture colours_;
  std::optional<std::vector<float>> colours_set_;  ///< linear RGB of each texel
  std::array<gl::GpuTimer, 6> timers_;             ///< count, place, draw, tone, splat, light
};

}  // namespace tri::render
