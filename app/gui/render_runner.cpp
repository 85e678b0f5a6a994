#include "app/gui/render_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/camera/path_file.hpp"
#include "app/gui/frame/capture.hpp"
#include "app/gui/render_style.hpp"
#include "app/gui/session_start.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/file_roles.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/progress_line.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app::gui {
namespace {

constexpr double kPollSeconds = 0.1;        // of the interrupt flag
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
  if (const std::string scheme = idle_integrator(config.run, model.scene.field); !scheme.empty()) console.note(scheme);
}

}  // namespace

RenderRun::RenderRun(const RunConfig& config, Console& console)
    : config_(checked(config)),
      options_(config.render),
      console_(console),
      session_(open_session(config, console)),
      path_(options_.camera_path.empty() ? CameraPath() : read_camera_path(options_.camera_path)),
      screen_(options_.width, options_.height, render::Offscreen::Driver::any,
              session_.model().backend.name == "cuda" ? first_device(config.common) : -1),
      renderer_(render::ShaderSources(options_.shader_dir)),
      trails_(render::ShaderSources(options_.shader_dir)),
      publisher_(options_.present, first_device(config.common)) {
  check_files_read(config);
  check_work_of(config, session_.model(), console);
  session_.set_stop_flag(interrupt_flag());
  view_.style = style_of(options_, session_.model().scene);
  count_frames();
  if (config.run.dt) request(ask::TimeStep{*config.run.dt});
  if (config.run.integrator) request(ask::Scheme{*config.run.integrator});
  if (config.run.dt_auto || config.run.eta) {
    request(ask::AutoStep{config.run.eta.value_or(usual_eta(session_.model().scene.integrator))});
  }
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
  set_usual_trails(view_.trails, m.n);
  if (!options_.trails.empty()) view_.trails.shown = options_.trails == "on";
  view_.trails.length = render::Trails::kMaxLength;
  if (view_.trails.shown) trails_.choose(view_.trails.bodies, view_.trails.length);
  session_.set_scalar(scalar_of(view_.style.quantity));
  if (options_.transparent) {
    alpha_ = std::make_unique<gl::AlphaTarget>(static_cast<int>(options_.width), static_cast<int>(options_.height));
  }
  console_.detail(fmt::format("drawn by {}", gl::renderer_name()));
  sink_ = make_frame_sink(options_.target, options_.output, options_.fps);
}

/// Throws what the session would show.
void RenderRun::request(const Request& request) {
  const std::size_t before = session_.model().notices.size();
  session_.apply(request);
  const auto& notices = session_.model().notices;
  if (notices.size() > before && notices.back().error) throw ConfigError(notices.back().text);
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
bool RenderRun::take_steps(u64 steps) {
  session_.apply(ask::Take{steps});  // over several calls of advance()
  while (steps > 0) {
    if (interrupt_flag().load()) return false;
    session_.advance(kPollSeconds);
    if (interrupt_flag().load()) return false;
    if (session_.failure()) std::rethrow_exception(session_.failure());
    steps -= session_.model().steps_last_frame;
    progress(frames_);
  }
  return true;
}

/// The steps before the first frame, in as many parts as the trails have positions. False as take_steps().
bool RenderRun::skip() {
  const u64 part = view_.trails.shown ? options_.skip / view_.trails.length + 1 : options_.skip;
  for (u64 left = options_.skip; left > 0; left -= std::min(left, part)) {
    if (view_.trails.shown) {
      publisher_.publish(session_);
      trails_.record(*publisher_.buffer(), std::nullopt);
      publisher_.buffer()->drawn();
    }
    if (!take_steps(std::min(left, part))) return false;
  }
  return true;
}

void RenderRun::draw(u64 frame) {
  publisher_.publish(session_);
  show_notices();
  if (frame == 0) {
    view_.aspect = static_cast<float>(options_.width) / static_cast<float>(options_.height);
    view_.lengths = fit_camera(view_.camera, session_, view_.aspect);
    renderer_.set_luminosities(luminosities(session_.drawn()));
    console_.detail(fmt::format("present: {}", publisher_.path()));
  }
  render::Camera camera = camera_of(options_, view_.camera, frame, all_);
  if (!path_.empty()) camera.pose = path_.at(session_.model().time);
  if (options_.follow) {
    const auto place = session_.place_of(*options_.follow);
    for (int a = 0; a < 3; ++a) camera.pose.target[a] = static_cast<float>(place[static_cast<std::size_t>(a)]);
  }
  const Box& box = session_.model().scene.field.box;
  render::FrameView seen{camera,
                         static_cast<int>(options_.width),
                         static_cast<int>(options_.height),
                         view_.lengths.body_radius,
                         std::nullopt,
                         scene_lines(box, true, options_.axes ? view_.lengths.axis_length : 0)};
  if (options_.grid) {
    const auto grid = ground_grid(camera, view_.lengths);
    seen.lines.insert(seen.lines.end(), grid.begin(), grid.end());
  }
  if (view_.trails.shown) trails_.record(*publisher_.buffer(), std::nullopt);
  seen.trails = &trails_, seen.period = period_of(box);
  seen.extent = view_.lengths.extent, seen.sphere_radius = view_.lengths.sphere_radius;
  seen.adaptation = frame == 0 ? 1.0f : adaptation_in(kFrameSeconds);
  renderer_.draw(publisher_.buffer(), seen, view_.style);
  render::ImageTexts texts = picture_texts(session_.model());
  texts["Comment"] =
      fmt::format("frame {} of {}, step {}, time {}", frame + 1, all_, session_.model().steps, session_.model().time);
  keep(texts);
  frames_ = frame + 1;
}

/// Shows what was drawn, reads it back, and hands it to the sink.
void RenderRun::keep(const render::ImageTexts& texts) {
  render::Image picture;
  render::AlphaImage over_nothing;
  if (alpha_) {
    renderer_.show_transparent(alpha_->texture());
    alpha_->bind();
    over_nothing = render::read_alpha_framebuffer(options_.width, options_.height);
  } else {
    renderer_.show(screen_.texture(), 0, 0);
    picture = screen_.image();
  }
  screen_.messages().check("frame");
  if (screen_.messages().errors() > 0) {
    throw gl::GlError(fmt::format("render: OpenGL reported: {}. Try a smaller --size, or a newer driver.",
                                  screen_.messages().texts().front()));
  }
  alpha_ ? sink_->add(over_nothing, texts) : sink_->add(picture, texts);
}

void RenderRun::tell_frames() const {
  const u64 frames = frames_;
  if (frames == 0) return;
  console_.print(fmt::format("{} frame{} of {} x {} in {}\n", frames, frames == 1 ? "" : "s", options_.width,
                             options_.height, options_.output));
}

/// Keeps what was drawn, however the run ended.
void RenderRun::finish() {
  sink_->finish();
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
  if (options_.target != FrameTarget::video) {  // a film is finished
    deadline.emplace([this] {
      tell_frames();
      say_interrupted(console_, config_.common.json, interrupted_text());
    });
  }
  try {
    for (u64 frame = 0; frame < all_; ++frame) {
      if (!(frame == 0 ? skip() : take_steps(options_.steps_per_frame)) || interrupt_flag().load()) break;
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
