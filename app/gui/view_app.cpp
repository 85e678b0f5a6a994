#include "app/gui/view_app.hpp"

#include <fmt/format.h>
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/camera_control.hpp"
#include "app/gui/base/keys.hpp"
#include "app/gui/base/view_defaults.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/gui/session_start.hpp"
#include "app/support/host_info.hpp"
#include "app/support/interrupt.hpp"
#include "render/image.hpp"
#include "render/pick.hpp"
#include "render/picture.hpp"
#include "sim/base/clock.hpp"
#include "sim/io/files/user_file.hpp"

namespace tri::app::gui {
namespace {

constexpr double kStepBudget = 1.0 / 30;  // seconds of a frame that steps may take
constexpr double kPatience = 0.015;       // seconds that a frame waits for the steps under way
constexpr double kIdleWait = 0.05;

bool measured(const RunConfig& config) { return !config.view.script.empty() || config.view.exit_after.has_value(); }

/// The window's size: of the command line where it stands there, else as it was kept.
u32 first_width(const RunConfig& config, const Settings& kept) {
  return config.given.contains("--size") ? config.view.width : kept.width;
}
u32 first_height(const RunConfig& config, const Settings& kept) {
  return config.given.contains("--size") ? config.view.height : kept.height;
}

/// Whether frames wait for the display.
bool in_step(const RunConfig& config) {
  return config.view.pace == Pace::automatic ? !measured(config) : config.view.pace == Pace::display;
}

/// "triangulum-20260131-123456"
std::string dated_name() {
  std::string stamp = utc_now();
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::replace(stamp.begin(), stamp.end(), 'T', '-');
  return fmt::format("triangulum-{}", stamp);
}

}  // namespace

ViewApp::ViewApp(const RunConfig& config, Console& console)
    : config_(config),
      console_(console),
      script_(config.view.script.empty() ? std::nullopt : std::optional(Script::read(config.view.script))),
      demo_(config.view.demo.empty() ? std::nullopt : std::optional(Demo(config.view.demo, config.run.scene))),
      settings_(measured(config) || demo_ ? std::string() : settings_path()),
      session_(open_session(config, console)),
      window_(first_width(config, settings_.settings()), first_height(config, settings_.settings())),
      imgui_(static_cast<float>(config.view.scale.value_or(
          settings_.settings().scale.value_or(static_cast<double>(window_.content_scale()))))),
      binding_(window_),
      renderer_(render::ShaderSources(config.view.shader_dir)),
      trails_(render::ShaderSources(config.view.shader_dir)),
      publisher_(config.view.present, std::max(0, config.common.device)),
      recorder_(config.view.record),
      present_thread_(window_, in_step(config)) {
  if (!measured(config)) state_.recent = RecentFiles(io::user_file("recent"));
  state_.demo = config.view.demo;
  state_.scale = imgui_.scale();
  apply(settings_.settings(), state_);
  scale_ = state_.chosen_scale;
  state_.bench.backend = config.common.backend, state_.bench.device = config.common.device;
  state_.bench.threads = config.common.threads.value_or(0);
  begin_views(config, state_);
  if (!settings_.fault().empty()) session_.note(settings_.fault(), true);
  state_.renderer = gl::renderer_name();
  console.detail(fmt::format("drawn by {}", state_.renderer));
  new_scene();  // before the first command of a script, which may change how it looks
}

Layout ViewApp::places() const {
  return layout(static_cast<float>(window_.width()), static_cast<float>(window_.height()), state_.scale, state_.panels,
                state_.domain.shown);
}

bool ViewApp::is_idle() const {
  return !measured(config_) && !session_.model().running && requests_.empty() && state_.frames.size() > 10 &&
         !state_.domain.running && !session_.busy() && !(state_.domain.shown && state_.fractal.running);
}

void ViewApp::take_dropped(const std::vector<std::string>& paths) {
  state_.pending.open = paths.front();
  if (paths.size() < 2) return;
  session_.note(fmt::format("{} files were dropped; one is opened: {}.", paths.size(), paths.front()), false);
}

void ViewApp::take_input() {
  Events events = window_.poll(is_idle() ? kIdleWait : 0);
  const double now = clock_s();
  frame_seconds_ = last_time_ > 0 ? now - last_time_ : 0;
  last_time_ = now;
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.WantTextInput) {
    for (const KeyPress& key : events.keys) on_key(key, session_.model(), state_, requests_);
  }
  if (!events.dropped.empty()) take_dropped(events.dropped);
  CameraInput input;
  input.seconds = static_cast<float>(std::min(frame_seconds_, 0.1));
  const Layout places = this->places();
  input.width = std::max(1.0f, places.scene.w), input.height = std::max(1.0f, places.scene.h);
  if (!io.WantCaptureMouse) {
    input.dx = io.MouseDelta.x, input.dy = io.MouseDelta.y;
    input.turns = io.MouseDown[0];
    input.pans = io.MouseDown[1] || io.MouseDown[2];
    input.scroll = events.scroll;
  }
  if (!io.WantTextInput) {
    const auto pressed = [&](int key) { return window_.is_down(key) ? 1.0f : 0.0f; };
    input.forward = pressed(GLFW_KEY_W) - pressed(GLFW_KEY_S);
    input.right = pressed(GLFW_KEY_D) - pressed(GLFW_KEY_A);
    input.up = pressed(GLFW_KEY_E) - pressed(GLFW_KEY_Q);
  }
  move_camera(state_.camera, input);
  if (io.MouseReleased[0] && !io.WantCaptureMouse) {
    const Release release{io.MousePos.x, io.MousePos.y, io.MouseDragMaxDistanceSqr[0]};
    if (const auto at = scene_click(release, places.scene, state_.scale)) state_.pending.pick = at;
  }
}

void ViewApp::fit() {
  const Layout places = this->places();
  const SceneLengths lengths = fit_camera(state_.camera, session_, places.scene.w / std::max(1.0f, places.scene.h));
  state_.body_radius = lengths.body_radius;
  state_.axis_length = lengths.axis_length;
}

/// Chooses the body under the pointer, or nobody where none is.
void ViewApp::handle_pick() {
  const auto at = std::exchange(state_.pending.pick, {});
  if (!at) return;
  const Layout places = this->places();
  const int width = static_cast<int>(places.scene.w), height = static_cast<int>(places.scene.h);
  if (width < 1 || height < 1) return;
  try {
    const auto seen = render::pick(session_.drawn(), {state_.camera, width, height, state_.body_radius, {}, {}},
                                   state_.style, (*at)[0], (*at)[1]);
    state_.marked = seen;
    if (!seen) state_.follow = false;
  } catch (const std::exception& error) {
    session_.note(error.what(), true);
  }
}

void ViewApp::record_trails() {
  const u64 steps = session_.model().steps;
  if (!state_.trails.shown || steps < trail_steps_) trails_.forget();  // switched off, or reset
  if (state_.trails.shown) {
    trails_.choose(state_.trails.bodies, state_.trails.length);
    if (steps != trail_steps_ || trails_.filled() == 0) trails_.record(*publisher_.buffer(), state_.marked);
  }
  trail_steps_ = steps;
}

void ViewApp::new_scene() {
  generation_ = session_.generation();
  state_.marked.reset();
  state_.follow = false;
  state_.bookmarks = {};
  trails_.forget();
  state_.spec = session_.model().spec;
  set_usual_style(state_.style, session_.model().scene);
  if (!can_colour(state_.style.quantity, session_.model()).ok) state_.style.quantity = render::Quantity::speed;
  window_.set_title(fmt::format("Triangulum - {}", session_.model().scene.name));
  fit();
}

std::vector<render::Line> ViewApp::lines() const {
  return scene_lines(session_.model().scene.field.box, state_.box, state_.axes ? state_.axis_length : 0);
}

void ViewApp::draw_scene(const Layout& places) {
  const int width = static_cast<int>(places.scene.w), height = static_cast<int>(places.scene.h);
  if (width < 1 || height < 1) return;
  state_.style.background = background(state_.style.shape, state_.dark);
  state_.figures = renderer_.figures();
  // Figures are some frames old, and may be those of a body marked before.
  const bool known = state_.marked && state_.figures && state_.figures->marked_body == state_.marked;
  if (state_.follow && known) state_.camera.pose.target = state_.figures->marked;
  const Box& box = session_.model().scene.field.box;
  render::FrameView view{state_.camera, width, height, state_.body_radius, state_.marked, lines(), &trails_};
  for (std::size_t a = 0; a < 3 && box.boundary == Boundary::periodic; ++a) {
    view.period[a] = static_cast<float>(box.high[a] - box.low[a]);
  }
  renderer_.draw(publisher_.buffer(), view, state_.style);
  const int x = static_cast<int>(places.scene.x), y = static_cast<int>(window_.height()) - height;
  renderer_.show(canvas_.texture, x, y);
  split_.draw(renderer_, view, state_, canvas_.texture, x, y);
}

void ViewApp::draw_panels(const Layout& places) {
  if (dark_ != state_.dark) imgui_.set_theme(dark_ = state_.dark);
  if (scale_ != state_.chosen_scale) {
    scale_ = state_.chosen_scale;
    imgui_.set_scale(static_cast<float>(scale_.value_or(static_cast<double>(window_.content_scale()))));
    binding_.new_letters();
    state_.scale = imgui_.scale();
  }
  binding_.begin_frame();
  ImGui::NewFrame();
  state_.present = publisher_.path();
  panel::renew_toast(session_.model(), state_.toast, clock_s(), measured(config_));
  panel::overlay(state_, places.scene);
  split_.overlay(session_.model(), state_, places.scene);
  panel::all(session_.model(), state_, places, requests_);
  bottom_panes_.draw(session_.model(), state_, places.domain, static_cast<float>(frame_seconds_));
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glViewport(0, 0, static_cast<int>(window_.width()), static_cast<int>(window_.height()));
  binding_.draw();
}

void ViewApp::take_screenshot() {
  std::string path = std::exchange(state_.pending.screenshot_path, {});
  if (std::exchange(state_.pending.screenshot, false)) path = dated_name() + ".png";
  if (last_frame_ && !config_.view.screenshot.empty()) path = config_.view.screenshot;
  if (path.empty()) return;
  try {
    write_png(path, render::read_framebuffer(window_.width(), window_.height()), picture_texts(session_.model()));
    session_.note(fmt::format("wrote {}", path), false);
  } catch (const FileError& error) {
    if (last_frame_) throw;
    session_.note(error.what(), true);
  }
}

/// Ends the film when there is one.
void ViewApp::end_film() {
  const std::string wrote = recorder_.end();
  if (wrote.empty()) return;
  session_.note(wrote, false);
  console_.note(wrote);
}

void ViewApp::record() {
  try {
    if (std::exchange(state_.pending.record, false)) recorder_.on() ? end_film() : recorder_.begin(dated_name());
    const std::string ended = recorder_.frame(session_.model(), window_.width(), window_.height());
    if (!ended.empty()) session_.note(ended, true);
    if (last_frame_) end_film();
  } catch (const FileError& error) {
    if (measured(config_)) throw;
    session_.note(error.what(), true);
  }
  state_.recording = recorder_.on();
}

void ViewApp::tell_errors() {
  window_.messages().check("frame");
  for (; gl_errors_ < window_.messages().texts().size(); ++gl_errors_) {
    session_.note("OpenGL: " + window_.messages().texts()[gl_errors_], true);
  }
}

/// Takes the steps of this frame, or begins them, and looks at the state, which is at rest.
void ViewApp::simulate(double now) {
  if (script_) {
    script_->frame({session_.model(), state_, requests_, [this](u32 w, u32 h) { window_.resize(w, h); }});
  }
  handle_demo();
  if (demo_) demo_->frame(std::min(frame_seconds_, 0.1), session_.model(), state_, requests_);
  handle_open();
  handle_settings();
  handle_bench();
  if (generation_ != session_.generation()) new_scene();
  // Steps that were asked for one by one are seen in the frame in which they were asked for.
  if (session_.asked_for_steps()) {
    session_.begin_steps(kStepBudget);
    awaited_ = !session_.finish_steps(kPatience);
    if (awaited_) return;
  } else if (!session_.steps_overlap()) {
    session_.advance(kStepBudget);
  }
  session_.set_scalar(scalar_of(state_.style.quantity));
  publisher_.publish(session_);
  // Steps beside the drawing bring their diagnostics with them, which take as long as a step.
  if (!session_.model().running || !session_.steps_overlap()) session_.diagnose(now);
  record_trails();
  handle_pick();
  session_.inspect(state_.marked, now);
  state_.scene_aspect = places().scene.w / std::max(1.0f, places().scene.h);
  split_.work(session_, state_);
  bottom_panes_.work(session_, state_, static_cast<float>(frame_seconds_));
  if (std::exchange(state_.pending.fit, false)) fit();
  steps_drawn_ = session_.model().steps_last_frame;
  memory_.frame(++frames_);
  if (session_.model().running && session_.steps_overlap()) session_.begin_steps(kStepBudget);
}

void ViewApp::frame() {
  const double begin = clock_s();
  count_shown(begin);
  take_input();
  now_.input = (clock_s() - begin) * 1e3;
  // Steps that take longer than a frame go on while this one is drawn: camera and panels move over the state before
  // them, and what was asked for waits.
  const bool at_rest = session_.finish_steps(kPatience);
  now_.steps = (clock_s() - begin) * 1e3 - now_.input;
  steps_drawn_ = 0;
  if (at_rest) {
    awaited_ = false;
    simulate(begin);
  } else {
    ++beside_;
  }
  now_.look = (clock_s() - begin) * 1e3 - now_.input - now_.steps;
  last_frame_ = state_.pending.quit || window_.should_close() || interrupt_flag().load() ||
                (script_ && script_->ended()) || (config_.view.exit_after && frames_ >= *config_.view.exit_after);
  if (window_.width() == 0 || window_.height() == 0) {  // minimised
    if (last_frame_) end_film();
    return;
  }
  draw_frame();
  add_cost((clock_s() - begin) * 1e3);
}

void ViewApp::draw_frame() {
  const Layout places = this->places();
  const double begin = clock_s();
  canvas_ = present_thread_.begin(window_.width(), window_.height(), state_.keep_pace);
  const double drawing = clock_s();
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  draw_scene(places);
  const double panels = clock_s();
  draw_panels(places);
  const double end = clock_s();
  now_.wait = (drawing - begin) * 1e3, now_.scene = (panels - drawing) * 1e3, now_.panel = (end - panels) * 1e3;
  if (!awaited_ || last_frame_) take_screenshot();
  record();
  tell_errors();
  const double handing = clock_s();
  present_thread_.end();
  now_.hand = (clock_s() - handing) * 1e3;
}

int ViewApp::run() {
  do {
    frame();
  } while (!last_frame_);
  keep_settings();
  report();
  if (measured(config_) && window_.messages().errors() > 0) {
    console_.note(fmt::format("OpenGL reported {} errors, the first: {}", window_.messages().errors(),
                              window_.messages().texts().front()));
    return static_cast<int>(ExitCode::check_failed);
  }
  if (interrupt_flag().load()) return static_cast<int>(ExitCode::interrupted);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app::gui
