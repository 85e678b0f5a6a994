#include "app/gui/frame/scene_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "app/gui/base/settings.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/language.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {

float quantity_of(const Instance& body, render::Quantity quantity) {
  switch (quantity) {
    case render::Quantity::speed:
      return body.speed;
    case render::Quantity::acceleration:
      return body.acceleration;
    case render::Quantity::radius:
      return body.radius;
    case render::Quantity::index:
      return static_cast<float>(body.id);
    case render::Quantity::mass:
    case render::Quantity::group:
    case render::Quantity::contacts:
      return body.mass;  // the session publishes what is asked for there
  }
  TRI_UNREACHABLE("a Quantity outside its enum");
}

std::array<float, 2> range_of(std::span<const Instance> bodies, const render::BodyStyle& style) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const Instance& body : bodies) {
    const float value = quantity_of(body, style.quantity);
    if (!std::isfinite(value) || (style.logarithmic && !(value > 0))) continue;
    low = std::min(low, value), high = std::max(high, value);
  }
  return low <= high ? std::array{low, high} : std::array{0.0f, 0.0f};
}

namespace {

constexpr float kScreenDpi = 96;  // at which letters have their size

/// As large as on paper, else in proportion to the picture; and never too large for it.
float letter_scale(const PictureForm& form) {
  constexpr float kUsualHeight = 720, kMinSide = 240;
  const auto width = static_cast<float>(form.width), height = static_cast<float>(form.height);
  const float wanted = form.dpi > 0 ? static_cast<float>(form.dpi) / kScreenDpi : std::max(1.0f, height / kUsualHeight);
  return std::min(wanted, std::min(width, height) / kMinSide);
}

const PictureForm& drawable(const PictureForm& form) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (std::max(form.width, form.height) <= static_cast<u32>(most)) return form;
  throw ConfigError(phrase("a picture of {} \u00d7 {}: this driver draws at most {} pixels a side; choose fewer.",
                           form.width, form.height, most));
}

}  // namespace

ScenePicture::ScenePicture(const std::string& shaders, const PictureForm& form, const Session& session)
    : form_(drawable(form)),
      scale_(letter_scale(form)),
      renderer_(render::ShaderSources(shaders)),
      colour_(gl::make_picture(GL_RGBA8, static_cast<int>(form.width), static_cast<int>(form.height))),
      framebuffer_(gl::framebuffer_of(colour_)) {
  if (form.ground != Ground::dark) {
    alpha_ = std::make_unique<gl::AlphaTarget>(static_cast<int>(form.width), static_cast<int>(form.height));
  }
  if (form.marks.any()) letters_ = std::make_unique<Lettering>(form.width, form.height, scale_);
  renderer_.set_luminosities(luminosities(session.drawn()));
}

void ScenePicture::begin(const Session& session, SceneView view, render::InstanceBuffer* bodies,
                         render::InstanceBuffer* second, const render::Trails* trails, float adaptation) {
  const int width = static_cast<int>(form_.width), part = second == nullptr ? width : width / 2;
  view.selected.reset();
  view.axes = form_.marks.axes;
  view.style.background = kBackground, view.style.ordered = true;
  taking_ = {&session, std::move(view), {}};
  add_run(bodies, trails, 0, part, adaptation);
  if (second != nullptr) add_run(second, nullptr, part, width - part, 0);  // with the same exposure
}

/// The parts that draw a run from column x on.
void ScenePicture::add_run(render::InstanceBuffer* bodies, const render::Trails* trails, int x, int width,
                           float adaptation) {
  constexpr u32 kPixels = 500'000;  // of a part: some tens of milliseconds without a GPU
  constexpr std::size_t kMany = 100'000;
  constexpr int kMaxBands = 16, kMaxOfMany = 4;  // every band looks at all bodies
  const bool many = bodies != nullptr && bodies->size() > kMany;
  const auto wanted = static_cast<int>(form_.width * form_.height / kPixels);
  const int bands = std::clamp(wanted, 1, many ? kMaxOfMany : kMaxBands);
  auto& parts = taking_.parts;
  parts.emplace_back([=, this] {
    render::FrameView frame =
        SceneDisplay::frame_of(taking_.session->model(), taking_.view, width, static_cast<int>(form_.height));
    frame.trails = trails, frame.adaptation = adaptation;
    renderer_.begin(bodies, frame, taking_.view.style);
  });
  for (int band = 0; band < bands; ++band) parts.emplace_back([=, this] { renderer_.band(band, bands); });
  parts.emplace_back([this] { renderer_.finish(); });
  if (!alpha_) parts.emplace_back([=, this] { renderer_.show(colour_.get(), x, 0); });
}

std::optional<TakenPicture> ScenePicture::work() {
  if (taking_.parts.empty()) return read();
  taking_.parts.front()();
  taking_.parts.pop_front();
  glFinish();
  return std::nullopt;
}

TakenPicture ScenePicture::read() {
  const SessionModel& model = taking_.session->model();
  const SceneView& view = taking_.view;
  TakenPicture taken;
  if (alpha_) {
    renderer_.show_transparent(alpha_->texture());
    alpha_->bind();
    render::AlphaImage image = render::read_alpha_framebuffer(form_.width, form_.height);
    form_.ground == Ground::white ? taken = render::on_white(image) : taken = std::move(image);
  } else {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    taken = render::read_framebuffer(form_.width, form_.height);
  }
  std::vector<u8> letters;
  if (letters_) {
    const auto range = form_.marks.legend ? range_of(taking_.session->drawn(scalar_of(view.style.quantity)), view.style)
                                          : std::array{0.0f, 0.0f};
    letters = letters_->over([&](ImDrawList& draw) { picture_marks(draw, model, view, range, form_, scale_); });
  }
  std::visit([&](auto& image) { image.dpi = form_.dpi, lay_over(image, letters); }, taken);
  return taken;
}

TakenPicture ScenePicture::take(const Session& session, SceneView view, render::InstanceBuffer* bodies,
                                render::InstanceBuffer* second, const render::Trails* trails, float adaptation) {
  begin(session, std::move(view), bodies, second, trails, adaptation);
  for (;;) {
    if (auto taken = work()) return std::move(*taken);
  }
}

std::string picture_command(const SessionModel& model, const SceneView& view, const PictureForm& form,
                            const std::string& path) {
  const render::BodyStyle& style = view.style;
  const bool coloured = style.colours != render::ColourMap::plain;
  const render::CameraPose& pose = view.camera.pose;
  const bool recorded = model.timeline.recorded;  // the file of a state holds it
  const std::size_t name = path.find_last_of('/') + 1;
  std::vector<std::string> words{"triangulum", "render", recorded ? model.spec : path, "-o",
                                 path.substr(0, name) + "again-" + path.substr(name)};
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  const auto degrees = [](float radians) {
    return fmt::format("{}", static_cast<double>(radians) * 180 / std::numbers::pi);
  };
  add("--size", fmt::format("{}x{}", form.width, form.height));
  const u64 steps = recorded ? 0 : model.steps - model.first_step;
  if (steps > 0) add("--skip", fmt::format("{}", steps));
  add("--camera", fmt::format("{},{}", degrees(pose.yaw), degrees(pose.pitch)));
  add("--look-at", fmt::format("{},{},{},{}", pose.target.x, pose.target.y, pose.target.z, pose.distance));
  add("--shape", std::string(to_string(style.shape)));
  if (coloured) add("--colour", std::string(to_string(style.quantity)));
  add("--colours", std::string(to_string(style.colours)));
  if (style.size != 1 && style.shape != render::BodyShape::points) add("--body-size", fmt::format("{}", style.size));
  if (style.exposure != 1) add("--light", fmt::format("{}", style.exposure));
  if (form.dpi > 0) add("--dpi", fmt::format("{}", form.dpi));
  add("--trails", view.trails.shown && steps > 0 ? "on" : "off");
  const std::pair<bool, const char*> flags[] = {{coloured && style.logarithmic, "--logarithm"},
                                                {view.grid, "--grid"},
                                                {!view.box, "--no-box"},
                                                {form.ground == Ground::white, "--white"},
                                                {form.ground == Ground::transparent, "--transparent"},
                                                {form.marks.axes, "--axes"},
                                                {form.marks.scale_bar, "--scale-bar"},
                                                {coloured && form.marks.legend, "--legend"},
                                                {form.marks.clock, "--clock"}};
  for (const auto& [on, option] : flags) {
    if (on) words.emplace_back(option);
  }
  return command_line(words);
}

}  // namespace tri::app::gui
