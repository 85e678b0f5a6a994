#include "app/gui/film_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/frame/capture.hpp"
#include "app/gui/scene_display.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

constexpr double kExposedSeconds = 1.0 / 30;  // as in `render`
constexpr int kSettled = 3;                   // the frame in which panels have found their places at a new size

}  // namespace

/// What draws frames without panels.
struct FilmRun::Screen {
  Screen(const std::string& shaders, const FilmChoice& choice, const Session& session, const TrailChoice& trail)
      : renderer(render::ShaderSources(shaders)), trails(render::ShaderSources(shaders)) {
    const auto w = static_cast<GLsizei>(choice.width), h = static_cast<GLsizei>(choice.height);
    glTextureStorage2D(colour.get(), 1, GL_RGBA8, w, h);
    glNamedFramebufferTexture(framebuffer.get(), GL_COLOR_ATTACHMENT0, colour.get(), 0);
    renderer.set_luminosities(luminosities(session.drawn()));
    if (trail.shown) trails.choose(trail.bodies, trail.length);
  }
  render::BodyRenderer renderer;
  render::Trails trails;
  gl::Texture colour = gl::make_texture(GL_TEXTURE_2D);
  gl::Framebuffer framebuffer = gl::make_framebuffer();
};

void FilmRun::begin(Session& session, GuiState& state, double now) {
  const SessionModel& model = session.model();
  FilmChoice choice = state.film.choice;
  const FrameTarget target = frame_target("film", choice.path);
  if (target == FrameTarget::picture) throw ConfigError("A film is FILE.mp4 or a folder; a picture is one frame.");
  if (target == FrameTarget::video && (choice.width % 2 != 0 || choice.height % 2 != 0)) {
    throw ConfigError(fmt::format("{} x {}: both sides of a video are even.", choice.width, choice.height));
  }
  if (model.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  auto screen =
      choice.panels ? nullptr : std::make_shared<Screen>(config_.view.shader_dir, choice, session, state.view.trails);
  writer_ = std::make_unique<FilmWriter>(make_frame_sink(target, choice.path, choice.fps));
  screen_ = std::move(screen), choice_ = choice;
  a_frame_ = model.timeline.recorded ? 1 : film_steps(choice, model.scene.dt, model.pace).a_frame;
  frames_ = 0, all_ = film_frames(choice);
  step_ = model.steps, generation_ = session.generation();
  from_ = model.time, begun_s_ = now;
  width_ = height_ = 0, drawn_ = 0;
  due_ = true, finishing_ = false;
  session.apply(ask::Run{false});
  if (choice.panels) state.view.on_path = !state.view.path.empty();
}

void FilmRun::ask(Session& session, GuiState& state, double now) {
  FilmState& film = state.film;
  if (std::exchange(film.start, false) && !running()) {
    try {
      begin(session, state, now);
    } catch (const std::exception& error) {
      session.note(error.what(), true);
      writer_.reset(), screen_.reset();
    }
  }
  const bool stop = std::exchange(film.stop, false);
  if (!running()) return;
  if (stop) finish();
  if (writer_->ended()) return leave(session, state);
  const SessionModel& model = session.model();
  if (!due_ && !finishing_) {
    const bool at_end = model.timeline.recorded && model.steps >= model.timeline.last;
    if (frames_ == all_ || at_end) {
      finish();
    } else {
      session.apply(ask::Take{a_frame_});
      step_ = model.timeline.recorded ? step_ : step_ + a_frame_;
      due_ = true;
    }
  }
  show(state, session, now);
}

void FilmRun::show(GuiState& state, const Session& session, double now) const {
  state.film.now = FilmProgress{frames_, all_, now - begun_s_, choice_.path};
  const double seconds = static_cast<double>(frames_) / static_cast<double>(choice_.fps);
  const double before = static_cast<double>(frames_ > 0 ? frames_ - 1 : 0) / static_cast<double>(choice_.fps);
  const double passed = std::abs(session.model().time - from_);
  // Steps to the next frame may be on their way: the speed is taken at frames alone.
  const double speed = !due_ && before > 0 ? passed / before : state.film.mark ? state.film.mark->speed : 0;
  state.film.mark = RecordMark{seconds, speed};
}

/// Whether a frame is to be taken of the present state. Ends a film that another request has moved on.
bool FilmRun::takes_frame(Session& session) {
  if (!running() || !due_ || finishing_ || session.asked_for_steps() || session.busy()) return false;
  const SessionModel& model = session.model();
  if (!model.broken && session.generation() == generation_ && (model.timeline.recorded || model.steps == step_)) {
    return writer_->has_room();
  }
  session.note(
      fmt::format("{}: the film ends with {} frames, because {}.", choice_.path, frames_,
                  model.broken ? "the state holds a value that is not finite" : "the run was moved by other requests"),
      true);
  finish();
  return false;
}

void FilmRun::draw(Session& session, const GuiState& state, render::InstanceBuffer* bodies,
                   render::InstanceBuffer* second) {
  if (screen_ == nullptr || !takes_frame(session)) return;
  const SessionModel& model = session.model();
  SceneView view = state.view;
  if (!view.path.empty()) view.camera.pose = view.path.at(model.time);
  view.selected.reset();
  render::BodyStyle style = view.style;
  style.background = kBackground, style.ordered = true;
  if (view.trails.shown) screen_->trails.record(*bodies, std::nullopt);
  const int width = static_cast<int>(choice_.width), part = second == nullptr ? width : width / 2;
  render::FrameView frame = SceneDisplay::frame_of(model, view, part, static_cast<int>(choice_.height));
  frame.trails = &screen_->trails;
  frame.adaptation = frames_ == 0 ? 1.0f : adaptation_in(kExposedSeconds);
  screen_->renderer.draw(bodies, frame, style);
  screen_->renderer.show(screen_->colour.get(), 0, 0);
  if (second != nullptr) {  // in the other half, with the same exposure
    frame.trails = nullptr, frame.width = width - part, frame.adaptation = 0;
    screen_->renderer.draw(second, frame, style);
    screen_->renderer.show(screen_->colour.get(), part, 0);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, screen_->framebuffer.get());
  take(session.model(), render::read_framebuffer(choice_.width, choice_.height));
}

std::optional<std::pair<u32, u32>> FilmRun::window_size() const {
  if (!running() || screen_ != nullptr || choice_.width == 0) return std::nullopt;
  return std::pair(choice_.width, choice_.height);
}

void FilmRun::take_window(Session& session, u32 width, u32 height) {
  if (!running() || screen_ != nullptr || ++drawn_ < kSettled || !takes_frame(session)) return;
  width -= width % 2, height -= height % 2;
  if (frames_ == 0) width_ = width, height_ = height;
  if (width != width_ || height != height_) {
    session.note(
        fmt::format("{}: the film ends with {} frames, because the size of the window changed.", choice_.path, frames_),
        true);
    return finish();
  }
  take(session.model(), render::read_framebuffer(width, height));
}

void FilmRun::take(const SessionModel& model, render::Image image) {
  render::ImageTexts texts = picture_texts(model);
  texts["Comment"] = fmt::format("frame {} of {}, step {}, time {}", ++frames_, all_, model.steps, model.time);
  writer_->add(std::move(image), std::move(texts));
  due_ = false;
}

void FilmRun::finish() {
  if (!std::exchange(finishing_, true)) writer_->finish();
}

/// The thread has ended.
void FilmRun::leave(Session& session, GuiState& state) {
  const std::string failure = writer_->failure();
  const std::string wrote = fmt::format("wrote {} frames to {}", frames_, choice_.path);
  session.note(failure.empty() ? wrote : failure, !failure.empty());
  writer_.reset(), screen_.reset();
  state.film.now.reset(), state.film.mark.reset();
}

void FilmRun::end(Session& session, GuiState& state) {
  if (!running()) return;
  finish();
  writer_->wait();
  leave(session, state);
}

}  // namespace tri::app::gui
