#include "render/body_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include "sim/base/error.hpp"

namespace tri::render {
namespace {

constexpr GLuint kFrameBinding = 0, kInstancesBinding = 0, kSpritesBinding = 2, kListsBinding = 3,
                 kLuminosityBinding = 7, kMarksBinding = 8;
constexpr GLsizeiptr kSpriteBytes = 32;
constexpr GLint kCornerUniform = 0, kFirstColumnUniform = 1, kOccludedUniform = 2, kSpreadUniform = 2,
                kTransparentUniform = 3;
constexpr GLuint kScreenImage = 0, kPictureUnit = 0, kDrawnUnit = 1, kLayerUnit = 2;
constexpr float kMaxPoint = 64;        // pixels; larger bodies are cheaper as squares
constexpr float kAllLight = 1 / 64.f;  // per square of the scene's extent: half floats hold sums and parts
constexpr float kReach = 2.5f;         // of occlusion, in radii of a usual sphere
constexpr float kSpread = 0.7f;        // share of the light that blurs

/// include/frame.glsl, std140.
struct FrameBlock {
  glm::mat4 view, projection;
  glm::vec4 viewport, size, background, light, limits, splats, ray;
  i32 style[4];
};

/// The environment's choice, else the faster method: splats on a GPU, points in software rendering.
SmallBodies default_small_bodies() {
  const char* choice = std::getenv("TRIANGULUM_SMALL_BODIES");
  if (choice == nullptr || *choice == '\0') return gl::is_software() ? SmallBodies::points : SmallBodies::splats;
  if (std::string_view(choice) == "splats") return SmallBodies::splats;
  if (std::string_view(choice) == "points") return SmallBodies::points;
  throw ConfigError(fmt::format("TRIANGULUM_SMALL_BODIES is '{}', but it must be splats or points.", choice));
}

}  // namespace

BodyRenderer::BodyRenderer(const ShaderSources& sources)
    : place_(sources, {"place.comp"}),
      spheres_{{sources, {"point.vert", "sphere.frag"}}, {sources, {"square.vert", "sphere.frag"}}},
      glow_{{sources, {"point.vert", "glow.frag"}}, {sources, {"square.vert", "glow.frag"}}},
      points_{{sources, {"point.vert", "point.frag"}}, {sources, {"square.vert", "point.frag"}}},
      lines_(sources, {"line.vert", "line.frag"}),
      tone_(sources, {"tone.comp"}),
      tone_glow_(sources, {"tone_glow.comp"}),
      splats_(sources),
      light_(sources),
      occlusion_(sources),
      counter_(sources),
      default_small_(default_small_bodies()),
      empty_(gl::make_vertex_array()),
      line_array_(gl::make_vertex_array()),
      frame_(gl::make_buffer()),
      line_buffer_(gl::make_buffer()) {
  glNamedBufferStorage(frame_.get(), sizeof(FrameBlock), nullptr, GL_DYNAMIC_STORAGE_BIT);
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
  const bool glow = style.shape == BodyShape::glow, points = style.shape == BodyShape::points;
  f.viewport = {static_cast<float>(v.width), static_cast<float>(v.height), pixel, style.exposure};
  const GlowSize lamp = glow_size(bodies, v.height);
  const float min_radius = points ? style.point_pixels : glow ? lamp.least_pixels : 0.75f;
  // Plain points have a size in pixels, not in the scene.
  f.size = {v.body_radius, points ? 1e-20f : style.size, min_radius, glow ? lamp.radii : 0.0f};
  const bool weighted = luminosity_count_ == bodies && bodies > 0;
  const double all = weighted ? luminosity_sum_ : static_cast<double>(std::max<std::size_t>(bodies, 1));
  const float each = kAllLight * v.extent * v.extent / static_cast<float>(all);
  const float at_target = pixel * v.camera.pose.distance, most = lamp.most_pixels * style.size;
  const float sphere = v.sphere_radius > 0 ? v.sphere_radius : v.body_radius;
  f.light = {each, weighted ? 1.0f : 0.0f, most, kReach * sphere * style.size};
  const float usual =
      std::max(std::min(v.body_radius * lamp.radii * style.size, most * at_target), lamp.least_pixels * at_target);
  metering_ = {v.adaptation, (1 - kSpread) * each / (usual * usual), lamp.floor};
  const auto& b = style.background;
  // The background is a screen colour, so an exposure of matter is inverted here.
  const float gain = glow ? 1 : 1 / style.exposure;
  f.background = {to_linear(b[0]) * gain, to_linear(b[1]) * gain, to_linear(b[2]) * gain, 0};
  f.limits = {max_point_, style.ordered ? 1.0f : 0.0f, mark_count_ == bodies && bodies > 0 ? 1.0f : 0.0f, 0};
  f.splats = {splats(style.small) ? 1.0f : 0.0f, Splats::kNarrow, Splats::kMaxWidth, 0};
  const float right = 1 / f.projection[0][0], up = 1 / f.projection[1][1];
  f.ray = {2 * right / f.viewport.x, 2 * up / f.viewport.y, -right, -up};
  const Quantity in_buffer = scalar_of(style.quantity) == InstanceScalar::mass ? style.quantity : Quantity::mass;
  f.style[0] = static_cast<i32>(in_buffer), f.style[1] = style.logarithmic ? 1 : 0;
  f.style[2] = static_cast<i32>(bodies), f.style[3] = v.marked ? static_cast<i32>(*v.marked) : -1;
  glNamedBufferSubData(frame_.get(), 0, sizeof f, &f);
  glBindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, frame_.get());
  glClearColor(f.background.x, f.background.y, f.background.z, 0);
}

void BodyRenderer::set_luminosities(std::span<const float> luminosities) {
  luminosity_count_ = luminosities.size();
  luminosity_sum_ = std::accumulate(luminosities.begin(), luminosities.end(), 0.0);
  luminosities_ = gl::make_buffer();
  if (luminosities.empty()) return;
  glNamedBufferStorage(luminosities_.get(), static_cast<GLsizeiptr>(luminosities.size_bytes()), luminosities.data(), 0);
}

void BodyRenderer::set_marks(std::span<const u32> marks) {
  mark_count_ = marks.size();
  marks_ = gl::make_buffer();
  if (marks.empty()) return;
  glNamedBufferStorage(marks_.get(), static_cast<GLsizeiptr>(marks.size_bytes()), marks.data(), 0);
}

void BodyRenderer::clear(bool glow) const {
  glClear(GL_DEPTH_BUFFER_BIT | (glow ? 0 : GL_COLOR_BUFFER_BIT));
  if (!glow) return;
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  target_.bind_lines();
  glClear(GL_COLOR_BUFFER_BIT);
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
  set_up();
  if (luminosity_count_ == bodies) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kLuminosityBinding, luminosities_.get());
  }
  if (mark_count_ == bodies) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kMarksBinding, marks_.get());
  place_.use();
  glDispatchCompute(static_cast<GLuint>((bodies + 255) / 256), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

bool BodyRenderer::splats(SmallBodies small) const {
  return (small == SmallBodies::automatic ? default_small_ : small) == SmallBodies::splats;
}

void BodyRenderer::draw_bodies(bool first, bool last) {
  const auto& [bodies, shape, splats, trails, period] = drawn_;
  const bool glow = shape == BodyShape::glow;
  if (splats && first) {
    timers_[4].begin();
    const bool cut = glIsEnabled(GL_SCISSOR_TEST) == GL_TRUE;  // these are of the whole image
    glDisable(GL_SCISSOR_TEST);
    glow ? splats_.glow(bodies, target_) : splats_.matter(bodies, shape == BodyShape::spheres, target_);
    if (cut) glEnable(GL_SCISSOR_TEST);
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
  glDisable(GL_SCISSOR_TEST);
  if (last && glow) target_.bind_lines();
  if (last && trails != nullptr) trails->draw(period);
  timers_[2].end();
}

void BodyRenderer::set_colours(const BodyStyle& style) {
  constexpr u32 kTexels = 256;
  std::vector<float> texels;
  for (u32 i = 0; i < kTexels; ++i) {
    for (const float channel : colour_at(style, static_cast<float>(i) / (kTexels - 1))) {
      texels.push_back(to_linear(channel));
    }
  }
  if (colours_set_ != texels) {
    colours_ = gl::make_texture(GL_TEXTURE_1D);
    glTextureStorage1D(colours_.get(), 1, GL_RGB16F, kTexels);
    glTextureParameteri(colours_.get(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(colours_.get(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureSubImage1D(colours_.get(), 0, 0, kTexels, GL_RGB, GL_FLOAT, texels.data());
    colours_set_ = std::move(texels);
  }
  glBindTextureUnit(0, colours_.get());
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

/// Where and how bodies are drawn; another renderer may have drawn before.
void BodyRenderer::set_up() const {
  glBindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, frame_.get());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kSpritesBinding, sprites_.get());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kListsBinding, lists_.get());
  splats_.bind();
  if (colours_set_) glBindTextureUnit(0, colours_.get());
  glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  target_.bind();
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_GREATER);
  glDepthMask(GL_TRUE);
}

void BodyRenderer::begin(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style) {
  TRI_EXPECTS(view.width >= 1 && view.height >= 1);
  counter_.collect();
  const std::size_t n = bodies == nullptr ? 0 : bodies->size();
  target_.resize(view.width, view.height);
  write_frame(n, view, style);
  set_up();
  glClearDepth(0);
  glows_ = style.shape == BodyShape::glow;
  clear(glows_);
  draw_lines(view.lines);
  target_.bind();
  drawn_ = {n, style.shape, splats(style.small), view.trails, view.period};
  light_is_summed_ = n > 0 && glows_ && drawn_.splats;
  if (n > 0) {
    bodies->bind(kInstancesBinding);
    timers_[0].begin();
    counter_.count(n, view.marked);
    timers_[0].end();
    set_colours(style);
    timers_[1].begin();
    place(n, style.ordered);
    timers_[1].end();
    bodies->drawn();  // what is drawn was copied
  }
}

void BodyRenderer::band(int band, int bands) {
  TRI_EXPECTS(band >= 0 && band < bands);
  if (drawn_.bodies == 0) return;
  set_up();
  const int low = target_.height() * band / bands, high = target_.height() * (band + 1) / bands;
  if (bands > 1) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, low, target_.width(), high - low);
  }
  draw_bodies(band == 0, band + 1 == bands);
}

/// Light, or occlusion: what comes between bodies and tone mapping.
void BodyRenderer::finish(int band, int bands) {
  TRI_EXPECTS(band >= 0 && band < bands);
  set_up();
  timers_[5].begin();
  glTextureBarrier();  // of what was drawn
  if (glows_ && band == 0) developing_ = light_.parts(target_, light_is_summed_, metering_, bands);
  const auto all = glows_ ? developing_.size() : 0, count = static_cast<std::size_t>(bands);
  for (std::size_t k = all * band / count; k < all * (band + 1) / count; ++k) developing_[k]();
  occluded_ = drawn_.bodies > 0 && drawn_.shape == BodyShape::spheres;
  if (occluded_) occlusion_.shade(target_, band, bands);
  timers_[5].end();
  glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

void BodyRenderer::draw(InstanceBuffer* bodies, const FrameView& view, const BodyStyle& style) {
  begin(bodies, view, style);
  band(0, 1);
  finish();
}

auto BodyRenderer::release_work() -> std::vector<Work> {
  constexpr const char* kNames[] = {"range", "place", "draw", "tone", "splat", "light"};  // by timers_
  std::vector<Work> work;
  for (std::size_t k = 0; k < timers_.size(); ++k) {
    for (const gl::GpuTimer::Span& s : timers_[k].take()) work.push_back({kNames[k], s.begin, s.end});
  }
  return work;
}

void BodyRenderer::show(GLuint screen, int x, int y, int first_column, int band, int bands) {
  tone(screen, GL_RGBA8, x, y, first_column, band, bands);
}

void BodyRenderer::show_transparent(GLuint screen, int band, int bands) {
  tone(screen, GL_RGBA16, 0, 0, 0, band, bands);
}

void BodyRenderer::tone(GLuint screen, GLenum format, int x, int y, int first_column, int band, int bands) {
  timers_[3].begin();
  glBindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, frame_.get());
  (glows_ ? tone_glow_ : tone_).use();
  glUniform2i(kCornerUniform, x, y);
  glUniform1i(kFirstColumnUniform, first_column);
  glUniform1ui(kTransparentUniform, format == GL_RGBA16 ? 1 : 0);
  glBindTextureUnit(kPictureUnit, target_.colour());
  if (glows_) {
    light_.bind();
    glBindTextureUnit(kLayerUnit, target_.lines());
    glUniform1f(kSpreadUniform, kSpread);
  } else {
    glBindTextureUnit(kDrawnUnit, target_.depth());
    glBindTextureUnit(kLayerUnit, occlusion_.shades());
    glUniform1ui(kOccludedUniform, occluded_);
  }
  glBindImageTexture(kScreenImage, screen, 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
  dispatch_band(target_.width(), target_.height(), band, bands);
  glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  for (const GLuint unit : {kDrawnUnit, kLayerUnit}) glBindTextureUnit(unit, 0);
  timers_[3].end();
}

namespace {

constexpr float kMinSphere = 0.75f;  // pixels: minimum radius of drawn spheres

/// The best candidate so far; a disc that covers the point wins over any that does not.
struct Best {
  std::optional<u32> id;
  bool covers = false;
  float miss = 0;   ///< pixels, of one that does not cover
  float depth = 0;  ///< along the ray

  void offer(u32 body, bool body_covers, float body_miss, float body_depth) {
    const bool better = !id                            ? true
                        : covers != body_covers        ? body_covers
                        : !covers && miss != body_miss ? body_miss < miss
                                                       : body_depth < depth;
    if (better) id = body, covers = body_covers, miss = body_miss, depth = body_depth;
  }
};

}  // namespace

std::optional<u32> pick(std::span<const Instance> bodies, const FrameView& v, const BodyStyle& style, float x, float y,
                        float reach) {
  const auto width = static_cast<float>(v.width), height = static_cast<float>(v.height);
  const float slope = std::tan(v.camera.field_of_view / 2), pixel = 2 * slope / height;
  const glm::vec3 ray{(2 * x / width - 1) * slope * width / height, (1 - 2 * y / height) * slope, -1};
  const glm::vec3 along = ray / glm::length(ray);
  const glm::mat4 view = v.camera.view();
  const bool spheres = style.shape == BodyShape::spheres;
  Best best;
  for (const Instance& body : bodies) {
    const glm::vec3 centre(view * glm::vec4(body.x, body.y, body.z, 1));
    const float front = -centre.z;
    if (!(front > 0) || !std::isfinite(centre.x) || !std::isfinite(centre.y)) continue;
    const float own = (body.radius > 0 ? body.radius : v.body_radius) * style.size;
    const float shown = spheres ? std::max(own, kMinSphere * pixel * front) : 0.0f;
    if (glm::length(centre) <= shown) continue;
    const float at = glm::dot(centre, along);
    const float away = glm::length(at * along - centre);
    if (spheres && away <= shown) {
      best.offer(body.id, true, 0, at - std::sqrt(shown * shown - away * away));
      continue;
    }
    const float miss = (away - shown) / (front * pixel);
    if (miss <= reach) best.offer(body.id, false, miss, at);
  }
  return best.id;
}

}  // namespace tri::render
