#pragma once
/// Draws bodies: placement, splats, trails, light, occlusion, statistics, picking.
///
/// Trails of selected bodies: a ring buffer of past positions on the GPU, drawn as lines that fade with age. Nothing is
/// copied to the host. The GL context must be current.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <glm/vec3.hpp>

#include "render/gl/gl.hpp"
#include "render/view.hpp"
#include "sim/backend/engine.hpp"

namespace tri::render {

class Trails {
 public:
  static constexpr u32 kMaxBodies = 4096, kMaxLength = 512;

  explicit Trails(const ShaderSources& sources);

  /// Selects `bodies` bodies, evenly spaced by index, and `length` >= 2 positions of each; both are clamped to their
  /// maximum. A change clears all trails. With 0 bodies, only the marked body has a trail.
  void choose(u32 bodies, u32 length);
  void forget() { filled_ = head_ = 0; }
  /// Bodies have other indices: `before` holds for each the one that it had, or one from `count` on. Where every body
  /// has a trail these stay, else all are cleared.
  void follow(const std::vector<u32>& before, std::size_t count);
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

// Draws small bodies with compute shaders, for GPUs with few or slow raster units: atomics on per-pixel words, whose
// result is independent of order, so that images are reproducible bit for bit.

class Splats {
 public:
  /// Side of a body's square in pixels: up to kNarrow one thread draws it, up to kMaxWidth a work group; larger bodies
  /// are rasterised.
  static constexpr float kNarrow = 10, kMaxWidth = 256;

  explicit Splats(const ShaderSources& sources);

  // matter() and glow() need the frame and the sprites and lists of place.comp bound for the same number of bodies, and
  // a target of the size of the frame.

  /// Draws spheres (`balls`) or discs into colour and depth of the target, which must be bound.
  void matter(std::size_t bodies, bool balls, const gl::HdrTarget& target);
  /// Sums light per pixel, without drawing it yet; respects the depth of the target.
  void glow(std::size_t bodies, const gl::HdrTarget& target);
  /// Binds the sums of glow() for shaders that read them.
  void bind() const;

 private:
  void clear(const gl::HdrTarget& target, bool glow);
  static void cover(std::size_t bodies, std::size_t per_group);

  gl::ShaderProgram clear_, nearest_, shade_, depth_, glow_;
  gl::VertexArray empty_;
  gl::Buffer pixels_;
  GLsizeiptr capacity_ = 0;  ///< pixels
};

/// Dispatches work groups of 16 x 8 over an image of this size.
void dispatch_pixels(int width, int height);
/// The same over one of `bands` parts of its height, for shaders with the uniform first_row.
void dispatch_band(int width, int height, int band, int bands);

// What makes a picture of light: its sum, its blur (bloom), and the tone curve that its histogram asks for. All on the
// GPU, nothing is read back. The same picture gives the same bits.

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

  /// Parts that, one after the other, add the sums of Splats::glow(), if there are any, to the light in the target,
  /// measure and blur it; over large pictures each goes over one of `bands` parts of the height. For each the frame and
  /// the lists of place.comp must be bound, and drawing into the target have ended (glTextureBarrier).
  std::vector<std::function<void()>> parts(const gl::HdrTarget& target, bool summed, const Metering& metering,
                                           int bands);
  /// Binds curve and blur for tone_glow.comp.
  void bind() const;

  /// The blurred light at half the size of the picture: a mean of spots whose widths double.
  GLuint blurred() const { return levels_.front().get(); }
  /// Holds the curve, as in include/exposure.glsl.
  GLuint exposure() const { return exposure_.get(); }

 private:
  void resize(int width, int height);
  void gather(const gl::HdrTarget& target, bool summed, int band, int bands) const;
  void expose(const Metering& metering) const;
  void blur_down(const gl::HdrTarget& target, std::size_t level, int band, int bands) const;
  void blur_up(std::size_t level, int band, int bands) const;

  struct Size {
    int width, height;
  };
  gl::ShaderProgram gather_, expose_, down_, up_;
  gl::Buffer exposure_;
  std::vector<gl::Texture> levels_;  ///< each half the size of the one before
  std::vector<Size> sizes_;
  int width_ = 0, height_ = 0;  ///< of the picture
};

// Ambient occlusion and contact shadows of spheres, at half the size of the picture: a pile reads as a pile, and a
// sphere alone looks as without.

class Occlusion {
 public:
  explicit Occlusion(const ShaderSources& sources);

  /// From depths and normals of the target; the frame must be bound, and drawing into the target have
  /// ended (glTextureBarrier).
  void shade(const gl::HdrTarget& target, int band = 0, int bands = 1);
  /// Per pixel of half the size: the share of light that stays, and the depth along the view.
  GLuint shades() const noexcept { return shades_.get(); }

 private:
  gl::ShaderProgram program_;
  gl::Texture shades_;
  int width_ = 0, height_ = 0;  ///< of shades_
};

// Statistics over all bodies, counted by the GPU and read back some frames later, without a stall.

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

// Draws bodies and lines into an HDR target and tone-maps it to the screen.

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
  static constexpr u32 kSelected = 1, kHidden = 2, kDim = 3;
  void set_marks(std::span<const u32> marks);

  /// Draws the bodies of the buffer (nullptr: none) and the lines.
  void draw(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style);
  /// The same in parts, between which others may draw: begin(); band() for each of `bands` parts of the height, in
  /// their order; finish() and show(), each for as many. The trails of the view are drawn in the last band().
  void begin(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style);
  /// The memory of a frame of this size, which begin() makes otherwise: of a large one it takes a while.
  void resize(int width, int height) { target_.resize(width, height); }
  void band(int band, int bands);
  void finish(int band = 0, int bands = 1);
  /// Tone-maps into a GL_RGBA8 texture, at (x, y) from the lower left; columns before first_column stay unchanged.
  void show(GLuint screen, int x, int y, int first_column = 0, int band = 0, int bands = 1);
  /// The same at the lower left of an AlphaTarget's texture, over nothing: bodies and lines cover it; glow does as far
  /// as it is bright, so that it looks over any background, blended in linear light, as it does over its own.
  void show_transparent(GLuint screen, int band = 0, int bands = 1);

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
  std::vector<Work> release_work();

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
  void draw_bodies(bool first, bool last);
  void draw_lines(const std::vector<Line>& lines);
  void set_up() const;
  void tone(GLuint screen, GLenum format, int x, int y, int first_column, int band, int bands);

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
  std::vector<std::function<void()>> developing_;                    ///< what finish() does of light, part by part
  bool light_is_summed_ = false, glows_ = false, occluded_ = false;  ///< in the last frame
  /// What is being drawn.
  struct Drawn {
    std::size_t bodies = 0;
    BodyShape shape = BodyShape::spheres;
    bool splats = false;
    const Trails* trails = nullptr;
    std::array<float, 3> period{};
  };
  Drawn drawn_;
  Metering metering_;  ///< of this frame
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

// Picks the body at a point of the image. Numbers only, on the host: a pass over a million bodies takes some
// milliseconds, and clicks are rare.

/// The id of the body at (x, y) in pixels from the upper left corner. Spheres: the foremost whose disc, as drawn,
/// covers the point. If there is none, and for glow and points: the one whose disc (glow and points: centre) is
/// nearest, up to `reach` pixels away. Bodies that are not drawn are ignored: not finite, behind the eye, or around it.
std::optional<u32> pick(std::span<const Instance> bodies, const FrameView& view, const BodyStyle& style, float x,
                        float y, float reach = 8);

}  // namespace tri::render
