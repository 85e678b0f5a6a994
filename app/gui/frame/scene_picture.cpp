#include "app/gui/frame/scene_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "app/gui/base/settings.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/language.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

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
  renderer_.set_luminosities(luminosities(session.drawn()));
}

namespace {

constexpr u32 kPixels = 500'000;  // of a part: some tens of milliseconds without a GPU

int bands_of(const PictureForm& form) { return std::max(1, static_cast<int>(form.width * form.height / kPixels)); }

std::vector<u8>& samples_of(render::Image& image) { return image.rgb; }
std::vector<std::uint16_t>& samples_of(render::AlphaImage& image) { return image.rgba; }

}  // namespace

void ScenePicture::begin(const Session& session, SceneView view, render::InstanceBuffer* bodies,
                         render::InstanceBuffer* second, const render::Trails* trails, float adaptation) {
  const int width = static_cast<int>(form_.width), part = second == nullptr ? width : width / 2;
  view.selected.reset();
  view.axes = form_.marks.axes;
  view.style.background = kBackground, view.style.ordered = true;
  taking_ = {&session, std::move(view), second == nullptr ? 0 : static_cast<u32>(part), {}, 0, {}};
  add_run(bodies, trails, 0, part, adaptation);
  if (second != nullptr) add_run(second, nullptr, part, width - part, 0);  // with the same exposure
  auto& parts = taking_.parts;
  if (form_.marks.any()) parts.emplace_back([this] { draw_marks(); });
  const auto bands = static_cast<u32>(bands_of(form_));
  for (u32 band = 0; band < bands; ++band) {
    parts.emplace_back([=, this] { read(form_.height * band / bands, form_.height * (band + 1) / bands); });
  }
  taking_.all = parts.size();
}

/// The parts that draw a run from column x on.
void ScenePicture::add_run(render::InstanceBuffer* bodies, const render::Trails* trails, int x, int width,
                           float adaptation) {
  constexpr std::size_t kMany = 100'000;
  constexpr int kMaxBands = 16, kMaxOfMany = 4;  // every band looks at all bodies
  const bool many = bodies != nullptr && bodies->size() > kMany;
  const int all = bands_of(form_), bands = std::min(all, many ? kMaxOfMany : kMaxBands);
  auto& parts = taking_.parts;
  if (form_.ground != Ground::dark && !alpha_) {
    parts.emplace_back([=, this] {
      alpha_ = std::make_unique<gl::AlphaTarget>(static_cast<int>(form_.width), static_cast<int>(form_.height));
    });
  }
  parts.emplace_back([=, this] { renderer_.resize(width, static_cast<int>(form_.height)); });
  parts.emplace_back([=, this] {
    render::FrameView frame =
        SceneDisplay::frame_of(taking_.session->model(), taking_.view, width, static_cast<int>(form_.height));
    frame.trails = trails, frame.adaptation = adaptation;
    renderer_.begin(bodies, frame, taking_.view.style);
  });
  for (int band = 0; band < bands; ++band) parts.emplace_back([=, this] { renderer_.band(band, bands); });
  for (int band = 0; band < all; ++band) parts.emplace_back([=, this] { renderer_.finish(band, all); });
  for (int band = 0; band < all; ++band) {
    parts.emplace_back([=, this] {
      alpha_ ? renderer_.show_transparent(alpha_->texture(), band, all)
             : renderer_.show(colour_.get(), x, 0, 0, band, all);
    });
  }
}

std::optional<TakenPicture> ScenePicture::work() {
  TRI_EXPECTS(!taking_.parts.empty());
  taking_.parts.front()();
  taking_.parts.pop_front();
  glFinish();
  return taking_.parts.empty() ? std::optional(std::move(taking_.taken)) : std::nullopt;
}

std::optional<TakenPicture> ScenePicture::work_in_turn(double& done_at) {
  constexpr double kMin = 1.0 / 30, kMax = 0.25;  // seconds
  const double begin = clock_s(), share = std::clamp(begin - done_at, kMin, kMax);
  std::optional<TakenPicture> taken;
  do {
    taken = work();
  } while (!taken && clock_s() - begin < share);
  done_at = clock_s();
  return taken;
}

double ScenePicture::share() const {
  return 1 - static_cast<double>(taking_.parts.size()) / static_cast<double>(std::max<std::size_t>(1, taking_.all));
}

void ScenePicture::draw_marks() {
  if (!letters_) letters_ = std::make_unique<Lettering>(form_.width, form_.height, scale_);
  const SceneView& view = taking_.view;
  const auto range = form_.marks.legend ? range_of(taking_.session->drawn(scalar_of(view.style.quantity)), view.style)
                                        : std::array{0.0f, 0.0f};
  letters_->draw([&](ImDrawList& draw) {
    picture_marks(draw, taking_.session->model(), view, range, form_, scale_, taking_.second);
  });
}

/// Adds these rows, counted from the top.
void ScenePicture::read(u32 first, u32 end) {
  const u32 rows = end - first, low = form_.height - end;
  TakenPicture band;
  if (alpha_) {
    alpha_->bind();
    render::AlphaImage image = render::read_alpha_framebuffer(form_.width, rows, low);
    form_.ground == Ground::white ? band = render::on_white(image) : band = std::move(image);
  } else {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    band = render::read_framebuffer(form_.width, rows, low);
  }
  std::visit(
      [&]<class Picture>(Picture& image) {
        if (letters_) lay_over(image, letters_->rows(low, rows));
        if (first == 0) {
          taking_.taken = Picture{form_.width, form_.height, {}, form_.dpi};
          samples_of(std::get<Picture>(taking_.taken)).reserve(samples_of(image).size() / rows * form_.height);
        }
        auto& all = samples_of(std::get<Picture>(taking_.taken));
        all.insert(all.end(), samples_of(image).begin(), samples_of(image).end());
      },
      band);
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
  const auto degrees = [](float radians) {  // with as many digits as make this angle again
    constexpr int kMin = 4, kAll = 17;
    const double exact = static_cast<double>(radians) * 180 / std::numbers::pi;
    for (int digits = kMin;; ++digits) {
      std::string text = fmt::format("{:.{}g}", exact, digits);
      const double again = std::strtod(text.c_str(), nullptr) * std::numbers::pi / 180;
      if (digits == kAll || static_cast<float>(again) == radians) return text;
    }
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

std::string picture_file(std::string name) {
  if (std::filesystem::path(name).extension().empty()) name += ".png";
  if (frame_target("picture", name) != FrameTarget::picture) throw ConfigError("A picture is FILE.png.");
  return free_path(name);
}

void note_legend(Session& session, const render::BodyStyle& style) {
  if (const std::string why = no_legend(session.model(), style); !why.empty()) session.note(why, false);
}

void PictureRun::begin(const Session& session, GuiState& state, const SceneDisplay& scene) {
  PictureState& picture = state.picture;
  path_ = picture_file(picture.path.empty() ? dated_name() : picture.path);
  sink_ = render::make_image_sink(path_);
  const SessionModel& model = session.model();
  SceneView view = state.view;
  view.aspect = static_cast<float>(picture.form.width) / static_cast<float>(picture.form.height);
  render::Camera whole = view.camera;
  view.lengths = fit_camera(whole, session, view.aspect);  // as `render` has them at this step
  texts_ = picture_texts(model);
  texts_["Comment"] = fmt::format("step {}, time {}", model.steps, model.time);
  texts_["Command"] = picture_command(model, view, picture.form, path_);
  drawn_ = std::make_unique<ScenePicture>(config_.view.shader_dir, picture.form, session);
  const render::Trails* trails = view.trails.shown ? &scene.trails() : nullptr;
  drawn_->begin(session, std::move(view), scene.bodies(), nullptr, trails, 1);
  picture.busy = true, drawn_at_ = clock_s();
}

void PictureRun::draw(GuiState& state) {
  std::optional<TakenPicture> taken = drawn_->work_in_turn(drawn_at_);
  state.picture.share = drawn_->share();
  const PictureForm& form = drawn_->form();
  state.overlay.waiting =
      phrase("picture of {} \u00d7 {}: {:.0f} % (Esc stops it)", form.width, form.height, 100 * *state.picture.share);
  if (!taken) return;
  state.picture.command = texts_["Command"];
  writer_ = std::make_unique<FilmWriter>(std::move(sink_));
  writer_->add(std::move(*taken), std::move(texts_));
  writer_->finish();
  drop(state);
  state.picture.busy = true;
}

/// What is drawn goes.
void PictureRun::drop(GuiState& state) {
  drawn_.reset(), sink_.reset(), texts_.clear();
  state.picture.share.reset(), state.picture.busy = false, state.overlay.waiting.clear();
}

void PictureRun::work(Session& session, GuiState& state, const SceneDisplay& scene) {
  PictureState& picture = state.picture;
  if (writer_ && writer_->ended()) leave(session, state);
  if (std::exchange(picture.cancel, false) && draws()) return drop(state);
  if (!draws() && !writer_ && std::exchange(picture.start, false)) {
    if (!session.attempt([&] { begin(session, state, scene); })) return drop(state);
    if (picture.form.marks.legend) note_legend(session, state.view.style);
  }
  if (draws() && !session.attempt([&] { draw(state); })) drop(state);
}

void PictureRun::leave(Session& session, GuiState& state) {
  const std::string failure = writer_->failure();
  session.note(failure.empty() ? phrase("wrote {}; the panel View has its size, ground and command", with_folder(path_))
                               : failure,
               !failure.empty());
  writer_.reset();
  state.picture.busy = false;
}

void PictureRun::end(Session& session, GuiState& state) {
  while (draws()) {
    if (!session.attempt([&] { draw(state); })) drop(state);
  }
  if (!writer_) return;
  writer_->wait();
  leave(session, state);
}

}  // namespace tri::app::gui
