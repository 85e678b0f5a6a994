#include "render/body_renderer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <glm/vec4.hpp>

#include "render/gl/check.hpp"
#include "sim/base/contracts.hpp"

namespace tri::render {
namespace {

constexpr GLuint kFrameBinding = 0, kBodiesBinding = 0, kStatsBinding = 1, kSpritesBinding = 2, kListsBinding = 3;
constexpr GLsizeiptr kReadStride = 256;
constexpr GLsizeiptr kSpriteBytes = 32;
constexpr GLint kCornerUniform = 0, kSummedUniform = 1, kFirstColumnUniform = 2;
constexpr GLuint kScreenImage = 0;
constexpr float kMaxPoint = 64;   // pixels; larger bodies are cheaper as squares
constexpr float kGlowRadius = 6;  // of a body's light, in radii of the body

/// include/frame.glsl, std140.
struct FrameBlock {
  glm::mat4 view, projection;
  glm::vec4 viewport, size, background, limits, splats, ray;
  i32 style[4];
};

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

/// Radius in pixels below which light is drawn larger and dimmer. Decreases with the number of bodies, since blending
/// costs per pixel (H200: 12 ms for a million bodies 3 pixels wide).
float min_glow(std::size_t bodies) {
  constexpr float kFew = 2e5f, kWide = 3, kNarrow = 1.5f;
  return std::clamp(kWide * std::sqrt(kFew / static_cast<float>(std::max<std::size_t>(bodies, 1))), kNarrow, kWide);
}

/// The environment's choice, else the faster method: splats on a GPU, points in software rendering.
SmallBodies default_small_bodies() {
  const char* choice = std::getenv("TRIANGULUM_SMALL_BODIES");
  if (choice == nullptr || *choice == '\0') return gl::is_software() ? SmallBodies::points : SmallBodies::splats;
  if (std::string_view(choice) == "splats") return SmallBodies::splats;
  if (std::string_view(choice) == "points") return SmallBodies::points;
  throw ConfigError(fmt::format("TRIANGULUM_SMALL_BODIES is '{}', but it must be splats or points.", choice));
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

std::string_view to_string(BodyShape shape) {
  static constexpr std::string_view kNames[kBodyShapeCount] = {"spheres", "glow", "points"};
  return kNames[static_cast<u32>(shape)];
}

std::string_view to_string(Quantity quantity) {
  static constexpr std::string_view kNames[kQuantityCount] = {"speed", "acceleration", "mass",    "radius",
                                                              "index", "group",        "contacts"};
  return kNames[static_cast<u32>(quantity)];
}

InstanceScalar scalar_of(Quantity quantity) {
  return quantity == Quantity::group      ? InstanceScalar::group
         : quantity == Quantity::contacts ? InstanceScalar::contacts
                                          : InstanceScalar::mass;
}

namespace {

/// Quantities that tell bodies apart, of which none is less than another.
bool is_name(Quantity quantity) { return quantity == Quantity::group || quantity == Quantity::index; }

}  // namespace

std::array<float, 3> colour_at(const BodyStyle& style, float t) {
  constexpr float kFirst = 0.3f;
  return sample(style.colours, is_name(style.quantity) ? kFirst + (1 - kFirst) * t : t);
}

BodyRenderer::BodyRenderer(const ShaderSources& sources)
    : stats_(sources, {"stats.comp"}),
      place_(sources, {"place.comp"}),
      spheres_{{sources, {"point.vert", "sphere.frag"}}, {sources, {"square.vert", "sphere.frag"}}},
      glow_{{sources, {"point.vert", "glow.frag"}}, {sources, {"square.vert", "glow.frag"}}},
      points_{{sources, {"point.vert", "point.frag"}}, {sources, {"square.vert", "point.frag"}}},
      lines_(sources, {"line.vert", "line.frag"}),
      tone_(sources, {"tone.comp"}),
      splats_(sources),
      default_small_(default_small_bodies()),
      empty_(gl::make_vertex_array()),
      line_array_(gl::make_vertex_array()),
      frame_(gl::make_buffer()),
      figures_now_(gl::make_buffer()),
      readback_(gl::make_buffer()),
      line_buffer_(gl::make_buffer()) {
  glNamedBufferStorage(frame_.get(), sizeof(FrameBlock), nullptr, GL_DYNAMIC_STORAGE_BIT);
  glNamedBufferStorage(figures_now_.get(), sizeof(StatsBlock), nullptr, GL_DYNAMIC_STORAGE_BIT);
  constexpr GLbitfield kAccess = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  glNamedBufferStorage(readback_.get(), kReads * kReadStride, nullptr, kAccess);
  read_memory_ =
      static_cast<const std::byte*>(glMapNamedBufferRange(readback_.get(), 0, kReads * kReadStride, kAccess));
  if (read_memory_ == nullptr) throw gl::GlError("the graphics driver cannot map memory for reading. Use a newer one.");
  float range[2] = {1, 1};
  glGetFloatv(GL_POINT_SIZE_RANGE, range);
  max_point_ = std::min(kMaxPoint, range[1]);
  glVertexArrayVertexBuffer(line_array_.get(), 0, line_buffer_.get(), 0, 7 * sizeof(float));
  for (const GLuint attribute : {0u, 1u}) {
    glEnableVertexArrayAttrib(line_array_.get(), attribute);
    glVertexArrayAttribFormat(line_array_.get(), attribute, attribute == 0 ? 3 : 4, GL_FLOAT, GL_FALSE,
                              attribute * 3 * sizeof(float));
    glVertexArrayAttribBinding(line_array_.get(), attribute, 0);
  }
}

void BodyRenderer::write_frame(std::size_t bodies, const FrameView& v, const BodyStyle& style) {
  const float aspect = static_cast<float>(v.width) / static_cast<float>(v.height);
  FrameBlock f{};
  f.view = v.camera.view();
  f.projection = v.camera.projection(aspect);
  const float pixel = 2 * std::tan(v.camera.field_of_view / 2) / static_cast<float>(v.height);
  const bool glow = style.shape == BodyShape::glow;
  f.viewport = {static_cast<float>(v.width), static_cast<float>(v.height), pixel, style.exposure};
  const float min_radius = style.shape == BodyShape::points ? style.point_pixels : glow ? min_glow(bodies) : 0.75f;
  // Plain points have a size in pixels, not in the scene.
  const float factor = style.shape == BodyShape::points ? 1e-20f : style.size;
  f.size = {v.body_radius, factor, min_radius, glow ? kGlowRadius : 0.0f};
  const auto& b = style.background;
  // The background is a screen colour, so the tone mapping is inverted here.
  const float brightest = to_linear(std::max({b[0], b[1], b[2]}));
  const float gain = glow && brightest > 0 ? -std::log(1 - brightest) / brightest : 1.0f;
  const auto inverted = [&](float srgb) { return to_linear(srgb) * gain / style.exposure; };
  f.background = {inverted(b[0]), inverted(b[1]), inverted(b[2]), glow ? 1.0f : 0.0f};
  f.limits = {max_point_, style.ordered ? 1.0f : 0.0f, 0, 0};
  f.splats = {splats(style.small) ? 1.0f : 0.0f, Splats::kNarrow, Splats::kMaxWidth, 0};
  const float right = 1 / f.projection[0][0], up = 1 / f.projection[1][1];
  f.ray = {2 * right / f.viewport.x, 2 * up / f.viewport.y, -right, -up};
  const Quantity in_buffer = scalar_of(style.quantity) == InstanceScalar::mass ? style.quantity : Quantity::mass;
  f.style[0] = static_cast<i32>(in_buffer), f.style[1] = style.logarithmic ? 1 : 0;
  f.style[2] = static_cast<i32>(bodies), f.style[3] = v.marked ? static_cast<i32>(*v.marked) : -1;
  glNamedBufferSubData(frame_.get(), 0, sizeof f, &f);
  glBindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, frame_.get());
  glClearColor(f.background.x, f.background.y, f.background.z, 1);
}

void BodyRenderer::count(std::size_t bodies, std::optional<u32> marked) {
  const StatsBlock none;
  glNamedBufferSubData(figures_now_.get(), 0, sizeof none, &none);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kStatsBinding, figures_now_.get());
  stats_.use();
  glDispatchCompute(static_cast<GLuint>((bodies + 255) / 256), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  if (reads_[read_at_].inserted()) return;  // all readbacks are in flight; skip this frame
  glCopyNamedBufferSubData(figures_now_.get(), readback_.get(), 0, read_at_ * kReadStride, sizeof none);
  glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
  reads_[read_at_].insert();
  read_marked_[read_at_] = marked;
  read_at_ = (read_at_ + 1) % kReads;
}

/// Must follow count(), whose range it uses.
void BodyRenderer::place(std::size_t bodies, bool ordered) {
  const auto n = static_cast<GLsizeiptr>(bodies);
  const GLuint none[8] = {ordered ? static_cast<GLuint>(6 * bodies) : 0, 1, 0, 0, 0, 0, 0, 0};
  if (capacity_ != bodies) {
    sprites_ = gl::make_buffer(), lists_ = gl::make_buffer();
    glNamedBufferStorage(sprites_.get(), n * kSpriteBytes, nullptr, 0);
    glNamedBufferStorage(lists_.get(), static_cast<GLsizeiptr>(sizeof none + 2 * n * sizeof(GLuint)), nullptr,
                         GL_DYNAMIC_STORAGE_BIT);
    capacity_ = bodies;
  }
  glNamedBufferSubData(lists_.get(), 0, sizeof none, none);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kSpritesBinding, sprites_.get());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kListsBinding, lists_.get());
  place_.use();
  glDispatchCompute(static_cast<GLuint>((bodies + 255) / 256), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

bool BodyRenderer::splats(SmallBodies small) const {
  return (small == SmallBodies::automatic ? default_small_ : small) == SmallBodies::splats;
}

void BodyRenderer::draw_bodies(std::size_t bodies, BodyShape shape, bool splats) {
  const bool glow = shape == BodyShape::glow;
  if (splats) {
    timers_[4].begin();
    glow ? splats_.glow(bodies, target_) : splats_.matter(bodies, shape == BodyShape::spheres, target_);
    timers_[4].end();
  }
  timers_[2].begin();
  const Shape& programs = shape == BodyShape::spheres ? spheres_ : glow ? glow_ : points_;
  if (glow) {
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
  }
  glBindVertexArray(empty_.get());
  if (!splats) {
    glEnable(GL_PROGRAM_POINT_SIZE);
    programs.small.use();
    glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(bodies));
  }
  programs.large.use();
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, lists_.get());
  glDrawArraysIndirect(GL_TRIANGLES, nullptr);
  glDisable(GL_BLEND);
  glDepthMask(GL_TRUE);
}

void BodyRenderer::collect() {
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

void BodyRenderer::set_colours(const BodyStyle& style) {
  const std::pair wanted{style.colours, is_name(style.quantity)};
  glBindTextureUnit(0, colours_.get());
  if (colours_set_ == wanted) return;
  std::array<float, 256 * 3> texels{};
  for (u32 i = 0; i < 256; ++i) {
    const auto rgb = colour_at(style, static_cast<float>(i) / 255);
    for (u32 k = 0; k < 3; ++k) texels[3 * i + k] = to_linear(rgb[k]);
  }
  colours_ = gl::make_texture(GL_TEXTURE_1D);
  glTextureStorage1D(colours_.get(), 1, GL_RGB16F, 256);
  glTextureParameteri(colours_.get(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(colours_.get(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureSubImage1D(colours_.get(), 0, 0, 256, GL_RGB, GL_FLOAT, texels.data());
  glBindTextureUnit(0, colours_.get());
  colours_set_ = wanted;
}

void BodyRenderer::draw_lines(const std::vector<Line>& lines) {
  if (lines.empty()) return;
  std::vector<float> vertices;
  vertices.reserve(lines.size() * 14);
  for (const Line& line : lines) {
    for (const glm::vec3& end : {line.from, line.to}) {
      vertices.insert(vertices.end(), {end.x, end.y, end.z, line.colour[0], line.colour[1], line.colour[2], 1});
    }
  }
  glNamedBufferData(line_buffer_.get(), static_cast<GLsizeiptr>(vertices.size() * sizeof(float)), vertices.data(),
                    GL_STREAM_DRAW);
  lines_.use();
  glBindVertexArray(line_array_.get());
  glDrawArrays(GL_LINES, 0, static_cast<GLsizei>(2 * lines.size()));
}

void BodyRenderer::draw(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style) {
  TRI_EXPECTS(view.width >= 1 && view.height >= 1);
  collect();
  const std::size_t n = bodies == nullptr ? 0 : bodies->size();
  target_.resize(view.width, view.height);
  write_frame(n, view, style);
  glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  target_.bind();
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_GREATER);
  glDepthMask(GL_TRUE);
  glClearDepth(0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  draw_lines(view.lines);
  light_is_summed_ = n > 0 && style.shape == BodyShape::glow && splats(style.small);
  if (n > 0) {
    bodies->bind(kBodiesBinding);
    timers_[0].begin();
    count(n, view.marked);
    timers_[0].end();
    set_colours(style);
    timers_[1].begin();
    place(n, style.ordered);
    timers_[1].end();
    draw_bodies(n, style.shape, splats(style.small));
    if (view.trails != nullptr) view.trails->draw(view.period);
    timers_[2].end();
    bodies->drawn();
  }
  glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

void BodyRenderer::show(GLuint screen, int x, int y, int first_column) {
  timers_[3].begin();
  glBindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, frame_.get());
  glBindTextureUnit(0, target_.colour());
  glBindImageTexture(kScreenImage, screen, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
  if (light_is_summed_) {
    splats_.bind();
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kListsBinding, lists_.get());
  }
  tone_.use();
  glUniform2i(kCornerUniform, x, y);
  glUniform1ui(kSummedUniform, light_is_summed_);
  glUniform1i(kFirstColumnUniform, first_column);
  dispatch_pixels(target_.width(), target_.height());
  glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  timers_[3].end();
}

}  // namespace tri::render
