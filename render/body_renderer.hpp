#pragma once
/// Draws bodies and lines into an HDR target and tone-maps it to the screen.

#include <array>
#include <glm/vec3.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "render/camera.hpp"
#include "render/colour_map.hpp"
#include "render/gl/fence.hpp"
#include "render/gl/framebuffer.hpp"
#include "render/gl/gpu_timer.hpp"
#include "render/gl/shader_program.hpp"
#include "render/instance_buffer.hpp"
#include "render/splats.hpp"
#include "render/trails.hpp"

namespace tri::render {

enum class BodyShape : u8 { spheres, glow, points };
/// Quantity that colours bodies. For group and contacts, a backend publishes that scalar instead of the mass.
enum class Quantity : u8 { speed, acceleration, mass, radius, index, group, contacts };
inline constexpr u32 kBodyShapeCount = 3, kQuantityCount = 7;
std::string_view to_string(BodyShape shape);
std::string_view to_string(Quantity quantity);
/// The scalar that a backend must publish for a quantity.
InstanceScalar scalar_of(Quantity quantity);

/// How small bodies are drawn: by compute shaders (splats) or by the rasteriser (points). Both give the same image up
/// to rounding.
enum class SmallBodies : u8 {
  automatic,  ///< TRIANGULUM_SMALL_BODIES (splats or points) in the environment, else the faster method
  splats,
  points,
};

/// Appearance of bodies.
struct BodyStyle {
  BodyShape shape = BodyShape::glow;
  Quantity quantity = Quantity::speed;
  bool logarithmic = false;  ///< colour by the logarithm of the quantity
  ColourMap colours = ColourMap::inferno;
  float size = 1;          ///< factor on every radius, > 0
  float point_pixels = 2;  ///< radius of plain points, pixels
  bool ordered = false;    ///< blend large lights in the order of bodies: reproducible bits, for more vertices
  float exposure = 1;      ///< factor on all light, > 0
  SmallBodies small = SmallBodies::automatic;
  std::array<float, 3> background{0.016f, 0.018f, 0.024f};  ///< sRGB
};

/// sRGB colour of t in [0, 1], from the minimum to the maximum value. Groups and indices skip the dark end of the map,
/// so that the first is as visible as the last.
std::array<float, 3> colour_at(const BodyStyle& style, float t);

/// Statistics over all bodies, computed on the GPU some frames ago.
struct BodyFigures {
  float low = 0, high = 0;         ///< range of the coloured quantity
  Bounds box;                      ///< of the centres of all bodies
  u32 finite = 0;                  ///< bodies with finite positions
  glm::vec3 marked{0};             ///< position of the body marked in that frame
  std::optional<u32> marked_body;  ///< its index
};

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
};

class BodyRenderer {
 public:
  /// Throws GlError for shaders that do not compile, ConfigError for an invalid TRIANGULUM_SMALL_BODIES.
  explicit BodyRenderer(const ShaderSources& sources);

  /// Draws the bodies of the buffer (nullptr: none) and the lines.
  void draw(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style);
  /// Tone-maps into a GL_RGBA8 texture, at (x, y) from the lower left; columns before first_column stay unchanged.
  void show(GLuint screen, int x, int y, int first_column = 0);

  /// GPU times of a frame some frames ago, in ms.
  struct Costs {
    double count = 0, place = 0, splat = 0, draw = 0, tone = 0;
  };
  Costs costs() const { return {timers_[0].ms(), timers_[1].ms(), timers_[4].ms(), timers_[2].ms(), timers_[3].ms()}; }

  /// Statistics of the newest frame that the GPU has finished; nullopt before the first.
  const std::optional<BodyFigures>& figures() const noexcept { return figures_; }

 private:
  void write_frame(std::size_t bodies, const FrameView& view, const BodyStyle& style);
  void count(std::size_t bodies, std::optional<u32> marked);
  void collect();
  void set_colours(const BodyStyle& style);
  void place(std::size_t bodies, bool ordered);
  bool splats(SmallBodies small) const;
  void draw_bodies(std::size_t bodies, BodyShape shape, bool splats);
  void draw_lines(const std::vector<Line>& lines);

  /// Programs for many small and for few large bodies of a shape.
  struct Shape {
    gl::ShaderProgram small, large;
  };
  gl::ShaderProgram stats_, place_;
  Shape spheres_, glow_, points_;
  gl::ShaderProgram lines_, tone_;
  Splats splats_;
  SmallBodies default_small_;     ///< for SmallBodies::automatic
  bool light_is_summed_ = false;  ///< in the last frame
  gl::HdrTarget target_;
  gl::VertexArray empty_, line_array_;
  gl::Buffer frame_, figures_now_, readback_, line_buffer_, sprites_, lists_;
  std::size_t capacity_ = 0;  ///< of the sprite buffers, in bodies
  float max_point_ = 1;
  gl::Texture colours_;
  std::optional<std::pair<ColourMap, bool>> colours_set_;  ///< map, and whether without its dark end
  static constexpr u32 kReads = 3;
  std::array<gl::Fence, kReads> reads_;
  std::array<std::optional<u32>, kReads> read_marked_;  ///< the marked body of each
  const std::byte* read_memory_ = nullptr;
  u32 read_at_ = 0;
  std::optional<BodyFigures> figures_;
  std::array<gl::GpuTimer, 5> timers_;  ///< count, place, draw, tone, splat
};

}  // namespace tri::render
