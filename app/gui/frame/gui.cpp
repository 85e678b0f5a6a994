/// The commands view and render; `render` itself.
///
/// `render`: frames of a simulation without a window, as pictures or as a page for browsers. The same input gives the
/// same frames: steps are counted and do not depend on the clock.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/frame/frame.hpp"
#include "app/gui/frame/page.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/frame/scene_picture.hpp"
#include "app/gui/frame/view_app.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/option_values.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/image.hpp"
#include "render/offscreen.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri::app::gui {

/// Draws states and hands them to a sink.
class Pictures {
 public:
  /// Opens OpenGL, then the output; each throws its own error. view: with trails chosen. config must outlive it.
  Pictures(const RunConfig& config, const Session& session, const SceneView& view);
  /// A state on the way to the first frame, for the trails.
  void pass(Session& session);
  /// Returns how the bodies came to the GPU, at the first frame.
  std::string draw(Session& session, const SceneView& view, bool first, const render::ImageTexts& texts);
  void finish() { sink_->finish(); }

 private:
  const RenderOptions& options_;
  render::Offscreen screen_;
  ScenePicture picture_;
  render::Trails trails_;
  BodyPublisher publisher_;
  std::unique_ptr<render::FrameSink> sink_;
};

class RenderRun {
 public:
  /// Checks the options, opens the scene, then OpenGL, then the output; each throws its own error. config and console
  /// must outlive the run.
  RenderRun(const RunConfig& config, Console& console);
  /// Runs to the last frame or to Ctrl-C. Returns the exit code. Frames before an error are complete on disk.
  int run();

 private:
  void count_frames();
  bool run_steps(u64 steps);
  bool skip();
  void draw(u64 frame);
  void show_notices();
  void progress(u64 frame) const;
  void tell_frames() const;
  void finish();
  std::string interrupted_text() const;

  const RunConfig& config_;
  const RenderOptions& options_;
  Console& console_;
  Session session_;
  CameraPath path_;  ///< empty: the camera goes by the options
  SceneView view_;   ///< whose camera sees the whole first frame
  std::unique_ptr<Pictures> pictures_;
  std::unique_ptr<RunPage> page_;  ///< in place of pictures
  u64 all_ = 0;                    ///< frames
  std::atomic<u64> frames_ = 0;    ///< written
  double begin_s_ = 0;
  std::size_t notices_shown_ = 0;
};

namespace {

template <class Enum>
void take(const char* option, const std::string& name, Enum& value) {
  if (!name.empty()) value = enum_from<Enum>(option, name);
}

float radians(double degrees) { return static_cast<float>(std::remainder(degrees, 360.0) * std::numbers::pi / 180); }

}  // namespace

void check_look(const RenderOptions& options) { style_of(options, Scene{}); }

void check_look(const RenderOptions& options, const render::BodyStyle& style) {
  if (style.shape == render::BodyShape::points && options.body_size != 1) {
    throw ConfigError("--body-size: points have no size; leave it out, or add --shape spheres or glow.");
  }
  if (style.colours != render::ColourMap::plain) return;
  const char* const idle = options.logarithm ? "logarithm" : options.legend ? "legend" : "colour";
  if (!options.colour.empty() || options.logarithm || options.legend)
    throw ConfigError(
        fmt::format("--{}: all bodies have one colour under plain; leave it out, or choose other --colours.", idle));
}

render::BodyStyle style_of(const RenderOptions& options, const Scene& scene) {
  render::BodyStyle style;
  set_usual_style(style, scene);
  take("--shape", options.shape, style.shape);
  take("--colour", options.colour, style.quantity);
  take("--colours", options.colours, style.colours);
  style.logarithmic = options.logarithm;
  style.size = static_cast<float>(options.body_size);
  style.exposure = static_cast<float>(options.light);
  style.background = kBackground;
  style.ordered = true;
  return style;
}

render::Camera camera_of(const RenderOptions& options, const render::Camera& whole, u64 frame, u64 frames) {
  render::Camera camera = whole;
  if (options.yaw) camera.pose.yaw = radians(*options.yaw);
  if (options.pitch) camera.pose.pitch = radians(*options.pitch);
  if (options.look_at) {
    const auto& [x, y, z, distance] = *options.look_at;
    camera.pose.target = {x, y, z}, camera.pose.distance = static_cast<float>(distance);
  }
  camera.zoom(static_cast<float>(1 / options.zoom));
  const double step = options.orbit ? 360.0 / static_cast<double>(frames) : options.turn;
  // From the first frame, not from the previous one: no error accumulates, and an orbit closes.
  camera.pose.yaw =
      std::remainder(camera.pose.yaw + radians(step * static_cast<double>(frame)), 2 * std::numbers::pi_v<float>);
  return camera;
}

namespace {

constexpr double kPollSeconds = 0.1;        // of the interrupt flag
constexpr u64 kManyWatched = 100'000;       // bodies that are looked at beside every frame
constexpr double kFrameSeconds = 1.0 / 30;  // for the exposure, whatever the rate of the film

const RunConfig& checked(const RunConfig& config) {
  check_look(config.render);
  check_frame_target(config.render.target, config.render.output);
  return config;
}

/// Choices that do nothing. (The window may come to other laws.)
void check_work_of(const RunConfig& config, const SessionModel& model, Console& console) {
  if (model.timeline.recorded) return;
  const CommonOptions& common = config.common;
  check_choices(common, model.scene.field);
  const std::string idle = check_effect(common, model.scene.field, model.engine, model.backend.name);
  if (!idle.empty()) console.note(idle);
  if (config.render.no_box && model.scene.field.box.boundary == Boundary::open) {
    console.note("the scene has no box, so --no-box changes nothing.");
  }
  if (const std::string scheme = idle_integrator(config.run, model.scene.field); !scheme.empty()) console.note(scheme);
}

}  // namespace

RenderRun::RenderRun(const RunConfig& config, Console& console)
    : config_(checked(config)),
      options_(config.render),
      console_(console),
      session_(open_session(config, console)),
      path_(options_.camera_path.empty() ? CameraPath() : read_camera_path(options_.camera_path)) {
  check_files_read(config);
  check_work_of(config, session_.model(), console);
  session_.set_stop_flag(interrupt_flag());
  session_.judge_as_run();
  view_.style = style_of(options_, session_.model().scene);
  view_.axes = options_.axes, view_.grid = options_.grid, view_.box = !options_.no_box;
  count_frames();
  const SessionModel& m = session_.model();
  if (options_.follow && *options_.follow >= m.n) {
    throw ConfigError(fmt::format("--follow {}: the scene has {} bodies, 0 to {}.", *options_.follow, m.n, m.n - 1));
  }
  if (const Availability can = can_colour(view_.style.quantity, m); !can.ok) {
    const bool asked = !options_.colour.empty();  // else by the scene, and speed replaces it
    if (asked) throw ConfigError(fmt::format("--colour {}: {}", options_.colour, can.reason));
    view_.style.quantity = render::Quantity::speed;
  }
  check_look(options_, view_.style);
  if (const std::string why = options_.legend ? no_legend(m, view_.style) : ""; !why.empty()) {
    throw ConfigError(fmt::format("--legend: {}; leave it out, or choose another --colour.", why));
  }
  set_usual_trails(view_.trails, m.n);
  if (!options_.trails.empty()) view_.trails.shown = options_.trails == "on";
  view_.trails.length = render::Trails::kMaxLength;
  session_.set_scalar(scalar_of(view_.style.quantity));
  if (options_.target == FrameTarget::page) {
    page_ = std::make_unique<RunPage>(options_.output, m.n, all_);
    return;
  }
  pictures_ = std::make_unique<Pictures>(config, session_, view_);
  console_.detail(fmt::format("drawn by {}", gl::renderer_name()));
}

/// Those asked for, or all of a recorded run. Throws ConfigError where that has fewer.
void RenderRun::count_frames() {
  const TimelineModel& timeline = session_.model().timeline;
  if (!timeline.recorded) {
    if (!options_.frames) throw ConfigError(kNeedsFrames);
    all_ = *options_.frames;
    return;
  }
  const u64 states = timeline.keyframes.size(), every = std::max<u64>(1, options_.steps_per_frame);
  if (options_.skip >= states) {
    throw ConfigError(
        fmt::format("--skip {}: the recorded run has {} states; skip fewer of them.", options_.skip, states));
  }
  const u64 most = (states - options_.skip - 1) / every + 1;
  all_ = options_.frames.value_or(most);
  if (all_ <= most || options_.steps_per_frame == 0) return;
  throw ConfigError(
      fmt::format("--frames {}: the recorded run has {} states, enough for {} frames; leave --frames out "
                  "to draw them all.",
                  all_, states, most));
}

void RenderRun::show_notices() {
  const auto& notices = session_.model().notices;
  for (; notices_shown_ < notices.size(); ++notices_shown_) console_.note(notices[notices_shown_].text);
}

void RenderRun::progress(u64 frame) const {
  const u64 all = all_;
  std::string text = fmt::format("frame {} of {} ({} %)", frame, all, 100 * frame / all);
  const double seconds = clock_s() - begin_s_;
  if (frame > 0 && seconds > 0) {
    const auto drawn = static_cast<double>(frame);
    text += fmt::format(", {:.3g} frames/s", drawn / seconds) + time_left(drawn, static_cast<double>(all), seconds);
  }
  console_.progress(text);
}

/// False when Ctrl-C came first. Throws what the engine throws.
bool RenderRun::run_steps(u64 steps) {
  session_.apply(ask::Take{steps});  // over several calls of advance()
  while (steps > 0) {
    if (interrupt_flag().load()) return false;
    session_.advance(kPollSeconds);
    if (interrupt_flag().load()) return false;
    if (session_.failure()) std::rethrow_exception(session_.failure());
    const SessionModel& m = session_.model();
    if (!m.diagnostics.empty()) check_finite(m.diagnostics.back(), m.scene.field);
    steps -= session_.model().steps_last_frame;
    progress(frames_);
  }
  return true;
}

/// The steps before the first frame, in as many parts as the trails have positions. False as run_steps().
bool RenderRun::skip() {
  if (page_) view_.trails.shown = false;
  const u64 part = view_.trails.shown ? options_.skip / view_.trails.length + 1 : options_.skip;
  for (u64 left = options_.skip; left > 0; left -= std::min(left, part)) {
    if (view_.trails.shown) pictures_->pass(session_);
    if (!run_steps(std::min(left, part))) return false;
  }
  return true;
}

void RenderRun::draw(u64 frame) {
  const SessionModel& m = session_.model();
  if (frame == 0) {
    view_.aspect = static_cast<float>(options_.width) / static_cast<float>(options_.height);
    view_.lengths = fit_camera(view_.camera, session_, view_.aspect);
  }
  if (page_) {
    page_->add(session_.drawn(scalar_of(view_.style.quantity)), view_.style.quantity, m.time);
  } else {
    SceneView now = view_;
    now.camera = camera_of(options_, view_.camera, frame, all_);
    if (!path_.empty()) now.camera.pose = path_.at(m.time);
    if (options_.follow) {
      const auto place = session_.place_of(*options_.follow);
      for (int a = 0; a < 3; ++a) now.camera.pose.target[a] = static_cast<float>(place[static_cast<std::size_t>(a)]);
    }
    render::ImageTexts texts = picture_texts(m);
    texts["Comment"] = fmt::format("frame {} of {}, step {}, time {}", frame + 1, all_, m.steps, m.time);
    const std::string path = pictures_->draw(session_, now, frame == 0, texts);
    if (!path.empty()) console_.detail(fmt::format("present: {}", path));
  }
  frames_ = frame + 1;
  const bool last = frame + 1 == all_;
  if (m.n <= kManyWatched || last) session_.watch_motion();
  session_.diagnose(last ? std::numeric_limits<double>::infinity() : clock_s());
  show_notices();
  if (!m.diagnostics.empty()) check_finite(m.diagnostics.back(), m.scene.field);
}

namespace {

PictureForm form_of(const RenderOptions& o) {
  return {o.width,
          o.height,
          o.dpi.value_or(0),
          o.white         ? Ground::white
          : o.transparent ? Ground::transparent
                          : Ground::dark,
          {o.axes, o.scale_bar, o.legend, o.clock}};
}

}  // namespace

Pictures::Pictures(const RunConfig& config, const Session& session, const SceneView& view)
    : options_(config.render),
      screen_(1, 1, render::Offscreen::Driver::any,
              session.model().backend.name == "cuda" ? first_device(config.common) : -1),
      picture_(options_.shader_dir, form_of(options_), session),
      trails_(render::ShaderSources(options_.shader_dir)),
      publisher_(options_.present, first_device(config.common)) {
  if (view.trails.shown) trails_.choose(view.trails.bodies, view.trails.length);
  sink_ = make_frame_sink(options_.target, options_.output, options_.fps);
}

void Pictures::pass(Session& session) {
  publisher_.publish(session);
  trails_.record(*publisher_.buffer(), std::nullopt);
  publisher_.buffer()->drawn();
}

std::string Pictures::draw(Session& session, const SceneView& view, bool first, const render::ImageTexts& texts) {
  publisher_.publish(session);
  if (view.trails.shown) trails_.record(*publisher_.buffer(), std::nullopt);
  const TakenPicture taken =
      picture_.take(session, view, publisher_.buffer(), nullptr, &trails_, first ? 1.0f : adaptation_in(kFrameSeconds));
  screen_.messages().check("frame");
  if (screen_.messages().errors() > 0) {
    throw gl::GlError(fmt::format("render: OpenGL reported: {}. Try a smaller --size, or a newer driver.",
                                  screen_.messages().texts().front()));
  }
  std::visit([&](const auto& image) { sink_->add(image, texts); }, taken);
  return first ? publisher_.path() : "";
}

void RenderRun::tell_frames() const {
  const u64 frames = frames_;
  if (frames == 0 || page_) return;
  console_.print(fmt::format("{} frame{} of {} x {} in {}\n", frames, frames == 1 ? "" : "s", options_.width,
                             options_.height, options_.output));
}

/// Keeps what was drawn, however the run ended.
void RenderRun::finish() {
  if (page_) {
    SceneView view = view_;
    view.camera = camera_of(options_, view_.camera, 0, 1);
    console_.print(page_->finish(session_.model(), view, config_.run.scene, command_line(config_.argv), options_.fps));
    return;
  }
  pictures_->finish();
  tell_frames();
}

std::string RenderRun::interrupted_text() const {
  const u64 frames = frames_;
  if (frames == 0) return kNothingWritten;
  return fmt::format("interrupted after frame {} of {}; those frames are complete.", frames, all_);
}

int RenderRun::run() {
  begin_s_ = clock_s();
  std::optional<InterruptDeadline> deadline;
  if (options_.target != FrameTarget::video && !page_) {  // those are finished
    deadline.emplace([this] {
      tell_frames();
      say_interrupted(console_, config_.common.json, interrupted_text());
    });
  }
  try {
    for (u64 frame = 0; frame < all_; ++frame) {
      if (!(frame == 0 ? skip() : run_steps(options_.steps_per_frame)) || interrupt_flag().load()) break;
      draw(frame);
      progress(frames_);
    }
    deadline.reset();
  } catch (const FileError&) {
    throw;  // of the sink: nothing can be finished
  } catch (const std::exception&) {
    finish();
    throw;
  }
  finish();
  if (frames_ == all_) return static_cast<int>(ExitCode::ok);
  console_.note(interrupted_text());
  return static_cast<int>(ExitCode::interrupted);
}

}  // namespace tri::app::gui

// What the commands need from the window.

namespace tri::app {
namespace {

Availability available() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return {true, ""};
  }
  return {false, "there is no display"};
}

Availability offscreen(std::string& renderer) {
  try {
    const render::Offscreen screen(16, 16);
    renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return {true, ""};
  } catch (const Error& error) {
    return {false, error.what()};
  }
}

/// What to say where Ctrl-C ends the program while it opens a scene or starts OpenGL.
std::function<void()> nothing_drawn(const RunConfig& config, Console& console) {
  return [&] { say_interrupted(console, config.common.json, kNothingWritten); };
}

int view(const RunConfig& config, Console& console) {
  if (!available()) {
    throw Error(ExitCode::no_display,
                "view: there is no display, so no window can be opened. Use triangulum run to simulate and triangulum "
                "bench to compare the maps.");
  }
  if (const std::string& film = config.view.record; !film.empty()) {
    gui::check_frame_target(frame_target("--record", film), film);
  }
  std::optional<InterruptDeadline> deadline(std::in_place, nothing_drawn(config, console));
  gui::ViewApp app(config, console);
  deadline.reset();
  const int code = app.run();
  deadline.emplace([] {});  // what the window leaves behind ends within it, too
  return code;
}

int render_frames(const RunConfig& config, Console& console) {
  std::optional<InterruptDeadline> deadline(std::in_place, nothing_drawn(config, console));
  gui::RenderRun render(config, console);
  deadline.reset();
  return render.run();
}

}  // namespace

GuiCommands gui_commands() { return {available, gui::try_display, offscreen, view, render_frames}; }

}  // namespace tri::app
