#pragma once
/// Draws bodies, box and axes into light without an upper end, and that onto the screen.

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
/// group and contacts are what a backend publishes in place of the mass (scalar_of()).
enum class Quantity : u8 { speed, acceleration, mass, radius, index, group, contacts };
inline constexpr u32 kBodyShapeCount = 3, kQuantityCount = 7;
std::string_view to_string(BodyShape shape);
std::string_view to_string(Quantity quantity);
/// What a backend must publish for it.
InstanceScalar scalar_of(Quantity quantity);

/// Which units of the card small bodies are given to: those that compute (splats) or those that draw (points). Both
/// make the same picture, up to rounding.
enum class SmallBodies : u8 {
  automatic,  ///< what the environment asks for (TRIANGULUM_SMALL_BODIES = splats or points), else what is faster here
  splats,
  points,
};

/// How bodies look.
struct BodyStyle {
  BodyShape shape = BodyShape::glow;
  Quantity quantity = Quantity::speed;
  bool logarithmic = false;  ///< colours by the logarithm of the quantity
  ColourMap colours = ColourMap::inferno;
  float size = 1;          ///< factor on every radius, > 0
  float point_pixels = 2;  ///< radius of plain points
  bool ordered = false;    ///< large lights add up in the order of bodies: the same bits each time, at more vertices
  float exposure = 1;      ///< factor on all light, > 0
  SmallBodies small = SmallBodies::automatic;
  std::array<float, 3> background{0.016f, 0.018f, 0.024f};  ///< sRGB
};

/// sRGB of t in [0, 1], from the least value to the greatest. Groups leave the dark end out: the first is no less there
/// than the last.
std::array<float, 3> colour_at(const BodyStyle& style, float t);

/// What the GPU counted over all bodies, some frames ago.
struct BodyFigures {
  float low = 0, high = 0;         ///< range of the quantity that colours
  Bounds box;                      ///< of all bodies' centres
  u32 finite = 0;                  ///< bodies that are numbers
  glm::vec3 marked{0};             ///< place of the body that was marked then
  std::optional<u32> marked_body;  ///< and its number
};

/// A line of the scene, both ends of one colour (linear RGB).
struct Line {
  glm::vec3 from, to;
  std::array<float, 3> colour;
};

/// What a frame shows.
struct FrameView {
  const Camera& camera;
  int width, height;          ///< of the picture in pixels, >= 1
  float body_radius;          ///< scene units, for bodies whose own radius is 0
  std::optional<u32> marked;  ///< body drawn brighter, whose place is in the figures
  std::vector<Line> lines;
  const Trails* trails = nullptr;  ///< drawn among the bodies
  std::array<float, 3> period{};   ///< sides of a periodic box, by which trails are cut; 0 = not periodic
};

class BodyRenderer {
 public:
  /// Throws GlError for shaders that do not compile, ConfigError for an environment that asks for what is not there.
  explicit BodyRenderer(const ShaderSources& sources);

  /// Draws the bodies of the buffer (nullptr: none) and the lines.
  void draw(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style);
  /// Onto a texture of GL_RGBA8, into the rectangle from (x, y), lower left, of the size drawn; the first columns of it
  /// stay as they are.
  void show(GLuint screen, int x, int y, int first_column = 0);

  /// GPU time of a frame some frames ago, in ms, of each part.
  struct Costs {
    double count = 0, place = 0, splat = 0, draw = 0, tone = 0;
  };
  Costs costs() const { return {timers_[0].ms(), timers_[1].ms(), timers_[4].ms(), timers_[2].ms(), timers_[3].ms()}; }

  /// Those of the newest frame that the GPU has finished; nothing before the first.
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

  /// The two ways to draw a shape: many small bodies, few large ones.
  struct Shape {
    gl::ShaderProgram small, large;
  };
  gl::ShaderProgram stats_, place_;
  Shape spheres_, glow_, points_;
  gl::ShaderProgram lines_, tone_;
  Splats splats_;
  SmallBodies usual_small_;       ///< where a style leaves it open
  bool light_is_summed_ = false;  ///< of the frame drawn last
  gl::HdrTarget target_;
  gl::VertexArray empty_, line_array_;
  gl::Buffer frame_, figures_now_, readback_, line_buffer_, sprites_, lists_;
  std::size_t room_ = 0;  ///< bodies for which there are sprites
  float largest_point_ = 1;
  gl::Texture colours_;
  std::optional<std::pair<ColourMap, bool>> colours_set_;  ///< map, and whether of groups
  static constexpr u32 kReads = 3;
  std::array<gl::Fence, kReads> reads_;
  std::array<std::optional<u32>, kReads> read_marked_;  ///< who was marked in each
  const std::byte* read_memory_ = nullptr;
  u32 read_at_ = 0;
  std::optional<BodyFigures> figures_;
  std::array<gl::GpuTimer, 5> timers_;  ///< count, place, draw, tone, splat
};

}  // namespace tri::render
