#include "app/gui/frame/view_app.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <GLFW/glfw3.h>

#include "app/gui/base/race.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/language.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"

namespace tri::app::gui {
namespace {

constexpr double kStepBudget = 1.0 / 30;  // seconds of a frame that steps may take
constexpr double kStepPatience = 0.015;   // seconds that a frame waits for steps in progress

/// Scripts, measured runs and demonstrations look the same for everybody.
std::string settings_file(const RunConfig& config) {
  return is_measured(config.view) || !config.view.demo.empty() ? std::string() : settings_path();
}

/// The panels as they were saved.
PanelState saved_panels(const SettingsFile& settings) {
  GuiState state;
  apply_settings(settings.settings(), state);
  return state.panels;
}

/// Size of the window: that of the command line, else the one saved, else the usual one at the scale of the panels.
WindowSurface::Size first_size(const RunConfig& config, const SettingsFile& settings) {
  if (config.given.contains("--size")) return {{config.view.width, config.view.height}};
  const PanelState saved = saved_panels(settings);
  return {{saved.window_width, saved.window_height}, !settings.found() && !is_measured(config.view)};
}

bool wants_vsync(const ViewOptions& options) {
  return options.pace == Pace::automatic ? !is_measured(options) : options.pace == Pace::display;
}

}  // namespace

ViewApp::ViewApp(const RunConfig& config, Console& console)
    : ViewApp(config, console, SettingsFile(settings_file(config))) {}

ViewApp::ViewApp(const RunConfig& config, Console& console, const SettingsFile& settings)
    : config_(config),
      console_(console),
      script_(config.view.script.empty() ? std::nullopt : std::optional(Script::read(config.view.script))),
      session_(open_session(config, console)),
      surface_(first_size(config, settings), config.view.scale, saved_panels(settings).chosen_scale,
               wants_vsync(config.view)),
      scene_(config),
      capture_(config.view, console),
      film_(config),
      picture_(config),
      second_(config),
      panes_(state_.panes, config.common),
      pictures_(is_measured(config.view) ? std::string() : picture_folder()),
      actions_(config, settings),
      meter_(is_measured(config.view)) {
  check_files_read(config);
  session_.compare_with_bb();
  session_.keep_timeline();
  if (!is_measured(config.view)) session_.keep_pace();  // scripts count steps, and read the clock only if they ask
  if (plays_first_scene(config)) session_.apply(ask::Run{true});
  if (plays_first_scene(config) && !settings.found()) state_.first.part = FirstMinute::Part::alone;
  if (!is_measured(config.view)) state_.files.recent = RecentFiles(io::user_file("recent"));
  state_.overlay.demo = config.view.demo;
  claim_navigation_keys();
  state_.panels.scale = surface_.scale();
  apply_settings(settings.settings(), state_);
  if (!settings.found() && !settings_file(config).empty()) {
    state_.panels.language = language_of_system(), state_.panels.calm = system_reduces_motion();
  }
  state_.panels.language = config.view.language.value_or(state_.panels.language);
  actions_.read_drafts(session_, state_, settings_file(config).empty() ? "" : io::user_file("drafts.toml"));
  state_.panels.presents = config.view.presentation;
  BenchChoice& bench = state_.bench.choice;
  bench.backend = config.common.backend, bench.device = on_one_device(config.common).device,
  bench.threads = config.common.threads.value_or(0);
  open_panes(config, state_.panes);
  if (!settings.fault().empty()) session_.note(settings.fault(), true);
  console.detail(fmt::format("drawn by {}", gl::renderer_name()));
  state_.frames.drawn_by = gl::driver_kind();
  open_scene();  // before the first command of a script, which may change the style
}

Layout ViewApp::places() const {
  const Window& window = surface_.window();
  const PanelState& panels = state_.panels;
  return layout(static_cast<float>(window.width()), static_cast<float>(window.height()), panels.scale,
                {.panels = panels.visible(),
                 .left = has_panel(panels.open),
                 .pinned = panels.pinned,
                 .left_width = panels.width,
                 .column_width = panels.column,
                 .column = panels.open == kMapsPanel,
                 .pane = state_.panes.shown,
                 .whole = state_.panes.whole,
                 .lanes = state_.lanes.shown});
}

PaneContext ViewApp::pane_context() const {
  return {state_.view, state_.panels.dark, state_.panels.scale, static_cast<float>(loop_.frame_seconds)};
}

void ViewApp::open_scene() {
  const Rect scene = first_place();
  state_.view.aspect = scene.w / std::max(1.0f, scene.h);
  scene_.open(session_, state_.view);
  TouchScene::forget(state_.touch, session_.model());
  state_.files.scene_text = session_.model().spec;
  surface_.window().set_title(fmt::format("Triangulum - {}", session_.model().scene.name));
}

/// One frame in the middle of opening a scene; false when the user stops it.
bool ViewApp::draw_progress(const std::string& text) {
  Window& window = surface_.window();
  const Events events = window.poll(0);
  if (window.should_close() || interrupt_flag().load()) return false;
  for (const KeyPress& key : events.keys) {
    if (key.key == GLFW_KEY_ESCAPE) return false;
  }
  if (loop_.updates == 0 || window.width() == 0 || window.height() == 0) return true;  // nothing to draw over
  state_.overlay.waiting = text;
  draw_frame();
  state_.overlay.waiting.clear();
  return true;
}

/// Where the bodies are drawn: two runs share what no panel covers.
Rect ViewApp::runs_place() const { return state_.second.shown ? places().free : places().scene; }

/// Where those of the first run are.
Rect ViewApp::first_place() const {
  Rect place = runs_place();
  if (state_.second.shown) place.w = std::floor(place.w / 2);
  return place;
}

/// Where those of the run are that panels and hands change.
Rect ViewApp::touch_place() const {
  Rect place = first_place();
  if (&chosen() != &session_.model()) place.x += place.w;
  return place;
}

/// The run that panels and hands change; null while it takes steps.
Session* ViewApp::touched_run() { return &chosen() == &session_.model() ? &session_ : second_.at_rest(); }

void ViewApp::look_at_run(double now) {
  Session* const run = touched_run();
  if (run == nullptr) return;
  if (const auto at = std::exchange(state_.pending.pick, {})) {
    SceneDisplay::pick(*run, state_, (*at)[0], (*at)[1], touch_place());
  }
  touch_.look(*run, state_, now);
  run->inspect(state_.view.selected, now);
}

const SessionModel& ViewApp::chosen() const {
  const SessionModel* second = state_.second.controls_b ? second_.model() : nullptr;
  return second != nullptr ? *second : session_.model();
}

/// The camera stands on its path, until that ends.
void ViewApp::follow_path() {
  SceneView& view = state_.view;
  view.on_path = view.on_path && !view.path.empty();
  if (!view.on_path) return;
  const double time = session_.model().time;
  view.camera.pose = view.path.at(time);
  if (time < view.path.marks().back().time) return;
  view.on_path = false;
  requests_.push_back(ask::Run{false});
}

/// After a device was lost the cpu goes on, and the state is saved, too.
void ViewApp::save_after_loss() {
  const u64 lost = session_.backends();
  if (std::exchange(devices_lost_, lost) != lost) {
    requests_.push_back(ask::Save{free_path("triangulum-lost-device.hdf5")});
  }
}

namespace {

/// The map of a page that asks why has the first turn.
void time_what_is_asked(Session& session, const GuiState& state) {
  const bool asks_why = state.page.shown && state.page.why;
  const std::size_t map = map_in_use(session.model());
  session.time_first(!asks_why ? 0 : map != 0 ? map : next_fitting(shown_maps(session.model()), 0));
}

}  // namespace

/// At a step boundary: performs pending actions, takes or begins the steps of this frame, and publishes the state.
void ViewApp::update(double now) {
  if (script_) {
    script_->frame({session_.model(), state_, requests_, [this](u32 w, u32 h) { surface_.window().resize(w, h); }});
  }
  if (Session* run = touched_run()) touch_.work(*run, state_, touch_place(), requests_);
  second_.update(session_, state_.second, requests_, now);
  save_after_loss();
  const bool follows = state_.view.follow || state_.touch.selection.followed;
  camera_.follow(state_.view, follows, state_.second.shown, session_.opened(), state_.pending.fit);
  actions_.perform(session_, state_, requests_, surface_.window(), loop_.frame_seconds,
                   [this](const std::string& text) { return draw_progress(text); });
  if (!scene_.shows(session_)) open_scene();
  film_.ask(session_, state_, now);
  surface_.draw_at(film_.window_size(), state_.panels);
  meter_.lap(FramePart::other);
  // A recording plays at its own rate, however long its frames take.
  session_.let_time_pass(capture_.recording() ? 1.0 / Capture::kFps : loop_.updated > 0 ? now - loop_.updated : 0);
  loop_.updated = now;
  // Steps requested one by one appear in the frame in which they were requested.
  const bool held = !second_.level(session_);  // until the second run has followed
  if (held) {
    meter_.lap(FramePart::steps);
  } else if (session_.asked_for_steps()) {
    session_.begin_steps(kStepBudget);
    loop_.awaits_steps = !session_.finish_steps(kStepPatience);
    meter_.lap(FramePart::steps);
    if (loop_.awaits_steps) return;
  } else if (!session_.steps_overlap()) {
    session_.advance(kStepBudget);
  }
  const SessionModel& model = session_.model();
  meter_.lap(FramePart::steps);
  scene_.publish(session_, state_.view, state_.touch);
  meter_.lap(FramePart::publish);
  follow_path();
  if (second_.level(session_)) film_.draw(session_, state_, scene_.bodies(), second_.bodies());
  film_.preview(session_, state_, scene_.bodies(), now);
  picture_.work(session_, state_, scene_), meter_.lap(FramePart::other);
  if (picture_.draws()) return;  // of this state
  // Overlapping steps bring their diagnostics with them, which take as long as a step.
  if (!model.running || !session_.steps_overlap()) session_.diagnose(now);
  const Rect scene = first_place();
  state_.view.aspect = scene.w / std::max(1.0f, scene.h);
  look_at_run(now);
  scene_.update_split(session_, state_.split);
  panes_.work(session_, pane_context());
  if (std::exchange(state_.pending.fit, false)) SceneDisplay::fit(session_, state_.view), camera_.fitted(state_.view);
  meter_.lap(FramePart::panes);
  meter_.updated(++loop_.updates);
  loop_.updated_now = true;
  time_what_is_asked(session_, state_);
  // It takes the step thread; steps that overlap go on a frame later.
  const bool in_sight = std::exchange(state_.survey.in_sight, false);
  const auto survey = in_sight ? std::optional(state_.survey.of) : std::nullopt;
  const bool of_b = &chosen() != &session_.model();
  const bool surveys = session_.survey(of_b ? std::nullopt : survey, now);
  if (Session* b = second_.at_rest()) b->survey(of_b ? survey : std::nullopt, now);
  if (!surveys && model.running && !held && session_.steps_overlap()) session_.begin_steps(kStepBudget);
  meter_.lap(FramePart::steps);
}

void ViewApp::frame() {
  const double begin = clock_s();
  meter_.begin(begin);
  apply_input();
  meter_.lap(FramePart::input);
  // Steps that take longer than a frame continue while this one is drawn: camera and panels stay responsive over the
  // previous state, and requests wait.
  const bool at_rest = session_.finish_steps(kStepPatience);
  meter_.lap(FramePart::steps);
  loop_.updated_now = false;
  if (picture_.draws()) {  // all else waits for it, while the window is drawn and hears its keys
    picture_.work(session_, state_, scene_);
    loop_.updated = clock_s();
    meter_.lap(FramePart::other);
  } else if (at_rest) {
    loop_.awaits_steps = false;
    update(loop_.time);  // after the wait for an event, which is no time of the run or of a film
  } else {
    meter_.drawn_during_step();
  }
  const Window& window = surface_.window();
  const auto& limit = config_.view.exit_after;
  const bool steps_left = loop_.awaits_steps || session_.asked_for_steps() || film_.running() || picture_.draws();
  loop_.last = state_.pending.quit || window.should_close() || interrupt_flag().load() ||
               (script_ && script_->ended() && !steps_left) || (limit && loop_.updates >= *limit);
  loop_.settling.drawn();
  if (is_unseen()) {
    if (loop_.last) capture_.end_recording(session_), film_.end(session_, state_), picture_.end(session_, state_);
    return;
  }
  draw_frame();
  account_frame();
}

/// Minimised, where no film needs its frames.
bool ViewApp::is_unseen() const {
  const Window& window = surface_.window();
  if (window.width() == 0 || window.height() == 0) return true;
  return window.is_minimised() && !is_measured(config_.view) && !capture_.recording() && !film_.running();
}

/// What a recording is to make of this frame. While steps of the last frame go on, it shows what that showed.
Capture::Moves ViewApp::movement() const {
  const bool works = bench_pending(state_.bench) || race_pending(state_.race) || !state_.overlay.demo.empty();
  if (is_measured(config_.view) || works) return Capture::Moves::yes;
  if (!loop_.updated_now && session_.model().running) return Capture::Moves::no;
  return !is_idle() ? Capture::Moves::yes : loop_.touched ? Capture::Moves::maybe : Capture::Moves::no;
}

void ViewApp::account_frame() {
  meter_.now.gpu = scene_.costs();
  const double now = clock_s();
  meter_.count_shown(now, surface_.shown(), state_.frames);
  meter_.add(state_.frames);
  constexpr double kPeriod = 1;  // seconds between two looks at the GPU's clock
  if (loop_.gl_offset_at == 0 || now - loop_.gl_offset_at > kPeriod) {
    loop_.gl_offset = gl::gpu_clock_offset(), loop_.gl_offset_at = now;
  }
  WorkTrace& work = state_.frames.work;
  for (const WorkSpan& span : session_.release_work()) work.add(span), meter_.worked(span);
  scene_.release_work(loop_.gl_offset, work);
  surface_.release_work(loop_.gl_offset, work);
}

void ViewApp::draw_panels(const Layout& places) {
  const SessionModel& model = session_.model();
  const LanguageChange language = follow_language(state_.panels.language);
  if (!language.refusal.empty()) session_.note(language.refusal, true);
  if (needs_new_fonts(model, state_) || language.new_glyphs) surface_.renew_fonts();
  ImGui::GetIO().ConfigInputTextCursorBlink = !state_.panels.calm;
  surface_.begin_panels(state_.panels);
  state_.frames.present = scene_.present();
  state_.frames.step_begun = session_.busy_since(), state_.frames.waiting = requests_.size();
  renew_toast(model, state_.overlay.toast, clock_s(), is_measured(config_.view));
  const bool reads = std::exchange(state_.pending.screen_text, false);
  if (reads) begin_screen_text();
  overlay(model, state_, first_place(), places.free);
  touch_overlay(chosen(), state_, touch_place(), places.free);
  const SessionModel* second = second_.model();
  if (second != nullptr) {
    two_runs_marks(model, *second, state_.second, state_.panels.scale, runs_place());
  }
  if (state_.film.mark) record_mark(model, *state_.film.mark, state_.panels.scale, places.scene);
  scene_.overlay(model, state_, places.scene, places.free);
  all({model, second}, state_, places, loop_.frame_seconds, clock_s(), requests_);
  panes_.draw(model, pane_context(), places.pane);
  pictures_.work(state_.gallery);
  if (reads) {
    const std::string text = fmt::format("{}: {}\n{}", model.scene.name, model.scene.title, end_screen_text());
    ImGui::SetClipboardText(text.c_str());
    console_.print(text);
    session_.note("The text of the screen is on the clipboard, and on standard output", false);
  }
  surface_.end_panels();
}

void ViewApp::draw_frame() {
  surface_.window().fill_screen(state_.panels.full_screen);
  const Layout places = this->places();
  const u32 width = surface_.window().width(), height = surface_.window().height();
  meter_.lap(FramePart::other);
  surface_.begin(state_.panels.vsync);
  meter_.lap(FramePart::wait);
  // A page hides all of the scene, which then costs nothing; but its picture over nothing is taken.
  if (!page_place(state_, places) || !state_.pending.transparent_path.empty()) {
    scene_.draw(session_.model(), state_, runs_place(), surface_.texture(), height, second_.bodies());
    Rect seen = runs_place();
    if (second_.bodies() != nullptr) seen.w = std::floor(seen.w / 2);
    thumbs_.keep(session_, state_.thumbs, surface_.texture(), seen, height);
  }
  meter_.lap(FramePart::scene);
  draw_panels(places);
  meter_.lap(FramePart::panels);
  capture_pictures(width, height);
  if (state_.film.mark) surface_.draw_marks();
  for (const std::string& error : surface_.new_errors()) session_.note("OpenGL: " + error, true);
  meter_.lap(FramePart::other);
  surface_.end();
  meter_.lap(FramePart::present);
}

/// What the frame shows, panels included but for the mark of recordings.
void ViewApp::capture_pictures(u32 width, u32 height) {
  if (const auto still = scene_.over_nothing()) Capture::still(session_, state_.pending, *still);
  if (!loop_.awaits_steps || loop_.last) {
    capture_.screenshot(session_, state_.pending, width, height, loop_.last);
    if (second_.level(session_) && !picture_.draws()) film_.capture_window(session_, width, height);
  }
  capture_.record(session_, state_.pending, width, height, loop_.last, movement());
  state_.frames.recording = capture_.recording(), state_.frames.filming = state_.film.now.has_value();
  if (loop_.last) film_.end(session_, state_), picture_.end(session_, state_);
  if (!film_.running()) state_.film.mark = capture_.mark(session_.model());
}

int ViewApp::run() {
  std::optional<InterruptDeadline> deadline;
  bool begun = false;
  do {
    const bool films = !config_.view.record.empty() || capture_.recording() || film_.running();
    if (films) deadline.reset();  // their last frames are worth waiting for
    if (!films && !deadline) deadline.emplace([] {});
    frame();
    // What the command line asked for and did not get is not in the window alone.
    for (const Notice& n : session_.model().notices) {
      if (!begun && loop_.updates > 0 && n.error) console_.note(n.text);
    }
    begun = begun || loop_.updates > 0;
  } while (!loop_.last);
  deadline.reset();
  const Window& window = surface_.window();
  actions_.save_settings(state_, window, console_);
  meter_.report(console_, session_.model(),
                fmt::format("{} x {}, present: {},", window.width(), window.height(), scene_.present()),
                state_.frames.drawn_by, surface_.shown());
  return exit_code();
}

int ViewApp::exit_code() const {
  const gl::Messages& messages = surface_.window().messages();
  if (is_measured(config_.view) && messages.errors() > 0) {
    console_.note(fmt::format("OpenGL reported {} errors, the first: {}", messages.errors(), messages.texts().front()));
    return static_cast<int>(ExitCode::check_failed);
  }
  return static_cast<int>(interrupt_flag().load() ? ExitCode::interrupted : ExitCode::ok);
}

// Two runs side by side.

namespace {

constexpr double kBudget = 1.0 / 30;  // seconds of steps before B is looked at

}  // namespace

void SharedCamera::follow(SceneView& view, bool follows, bool two, u64 scene, bool& fit) {
  if (two == std::exchange(two_, two)) return;
  if (two) {  // a half is narrower
    before_ = {view.camera.pose, view.lengths}, scene_ = scene;
    own_ = fit = true, asked_ = false;
    fitted_.reset();
    return;
  }
  if (asked_ || scene != scene_) {
    fit = true;
    return;
  }
  const render::CameraPose now = view.camera.pose;
  if (follows && fitted_) fitted_->target = before_.pose.target = now.target;  // as the body moves
  if (!fitted_ || *fitted_ != now) return;
  view.camera.pose = before_.pose, view.lengths = before_.lengths;
  view.camera.stop();
}

void SharedCamera::fitted(const SceneView& view) {
  asked_ = two_ && !own_;
  if (std::exchange(own_, false)) fitted_ = view.camera.pose;
}

bool is_of_one_run(const Request& request) {
  return is_one_of<ask::Save, ask::TimeStep, ask::AutoStep, ask::Scheme, ask::Field, ask::PairMap, ask::TripleMap,
                   ask::Blocks, ask::Sums, ask::Accuracy, ask::Contacts, ask::Reverse, ask::AddBodies, ask::Name,
                   ask::ChangeBody, ask::ChangeBodies, ask::DeleteBodies, ask::Export, ask::Undo, ask::Redo>(request);
}

void SecondRun::begin(Session& a, SecondChoice& choice) {
  if (a.model().timeline.recorded) throw ConfigError("a recorded run has no second one; Branch here goes on from it.");
  if (!config_.common.devices.empty()) {
    // Two runs would exchange sums over the same devices at the same time, and could wait for each other without end.
    throw ConfigError("several devices work on one run. Start with one, --device N, to see two side by side.");
  }
  Requests then = session_requests(session_text(a.model()));
  const auto first = std::get<ask::Open>(then.front());
  then.erase(then.begin());
  auto b = std::make_unique<Session>(open_backend(config_.common), first, EngineOverrides{}, then);
  const TimelineModel& past = a.model().timeline;
  b->keep_timeline();
  choice.is_branch = choice.of_branch && past.branch;
  if (choice.is_branch) {
    b->go_on_from_branch(a);
    choice.from = *past.branch, choice.from_time = past.branch_time;
  } else {
    b->go_on_from(a);
    choice.from = a.model().steps, choice.from_time = a.model().time;
  }
  publisher_ = std::make_unique<BodyPublisher>(config_.view.present, first_device(config_.common));
  b_ = std::move(b);
  opened_ = a.opened(), run_ = past.run, notices_ = b_->model().notices.size();
  waiting_.clear();
}

bool SecondRun::level(const Session& a) const {
  return !b_ || b_->model().broken || (!restarts(a.model()) && b_->model().steps == place(a.model()));
}

/// Whether A was reset, which B has still to do.
bool SecondRun::restarts(const SessionModel& a) const {
  return a.timeline.run != run_ && a.steps == a.first_step && !a.timeline.branch;
}

/// Where B is to stand: with A, or where A is on its way to; but where A goes back behind its beginning, there.
u64 SecondRun::place(const SessionModel& a) const {
  const u64 to = a.timeline.seek ? a.timeline.seek->to : a.steps;
  return std::max(to, b_->model().timeline.first);
}

/// Steps to there, forwards or back; or to the start.
void SecondRun::follow(const SessionModel& a) {
  const SessionModel& b = b_->model();
  if (restarts(a)) b_->be_led_to(std::nullopt);
  run_ = a.timeline.run;
  const u64 to = place(a);
  if (b.broken || b_->asked_for_steps() || b.steps == to) return;
  if (b.steps < to) return b_->apply(ask::Take{to - b.steps});
  b_->be_led_to(to);
}

/// Those that are B's. A map joins the maps of both.
void SecondRun::collect(Session& a, Requests& requests, bool controls_b) {
  for (const Request& r : requests) {
    if (is_one_of<ask::AddMap>(r)) waiting_.push_back(r);
  }
  if (!controls_b) return;
  const auto of_b =
      std::stable_partition(requests.begin(), requests.end(), [](const Request& r) { return !is_of_one_run(r); });
  waiting_.insert(waiting_.end(), of_b, requests.end());
  requests.erase(of_b, requests.end());
  const auto turns = [](const Request& r) { return is_one_of<ask::Compare>(r) && std::get<ask::Compare>(r).on; };
  if (std::erase_if(requests, turns) > 0) a.note("maps take turns in A alone: choose its panels (panel Time).", true);
}

void SecondRun::update(Session& a, SecondChoice& choice, Requests& requests, double now) {
  if (choice.on && !b_) choice.on = a.attempt([&] { begin(a, choice); });
  if (b_ && opened_ != a.opened()) choice.on = false;
  if (b_ && choice.on) collect(a, requests, choice.controls_b);
  if (!choice.on) b_.reset(), publisher_.reset(), choice.controls_b = false;
  choice.shown = b_ != nullptr;
  choice.behind = false;
  if (!b_) return;
  if (b_->finish_steps(0)) {
    if (level(a)) b_->apply(std::exchange(waiting_, {}));
    follow(a.model());
    b_->set_scalar(a.model().scalar);
    publisher_->publish(*b_);
    label_bodies(*b_, choice.labels);
    b_->diagnose(now);
    const auto& said = b_->model().notices;
    for (; notices_ < said.size(); ++notices_) a.note("B: " + said[notices_].text, said[notices_].error);
    if (b_->failure() && !b_->model().broken) {
      choice.on = false;
      return;
    }
    if (b_->asked_for_steps()) b_->begin_steps(kBudget);
  }
  choice.behind = !waiting_.empty() || b_->busy() || !level(a);
  choice.to = b_->model().steps;
}

// What the window hears: events, and how long to wait for them; keys, pointer and dropped files.

namespace {

constexpr double kFrame = 1.0 / 60;
constexpr double kIdleWait = 0.05;  // seconds that an idle frame waits for input
constexpr double kStillWait = 0.5;  // seconds between two looks at signals where nothing changes

/// The left button over the scene, unless ImGui uses it. A press and a release are where they were, not where the
/// pointer is when a frame sees them.
Pointer pointer_over(const Rect& scene, const LeftButton& left) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool pressed = io.MouseClicked[0], down = io.MouseDown[0];
  const Pixels at = pressed ? left.pressed : down ? Pixels{io.MousePos.x, io.MousePos.y} : left.released;
  const Pixels in_scene{at[0] - scene.x, at[1] - scene.y};
  const bool inside = in_scene[0] >= 0 && in_scene[1] >= 0 && in_scene[0] < scene.w && in_scene[1] < scene.h;
  return {in_scene, pressed && inside && !io.WantCaptureMouse, down, left.shift};
}

/// Keys that fly the camera, by place, whatever their letters are.
constexpr int kFlight[] = {GLFW_KEY_W, GLFW_KEY_S, GLFW_KEY_D, GLFW_KEY_A, GLFW_KEY_E, GLFW_KEY_Q};

bool flies(const KeyPress& key, const render::Camera& camera) {
  return camera.mode == render::CameraMode::fly && !key.ctrl &&
         std::find(std::begin(kFlight), std::end(kFlight), key.place) != std::end(kFlight);
}

/// The camera's input from mouse and keys, unless ImGui or an open dialog uses them.
CameraInput camera_input(const Window& window, const Rect& scene, bool dialog, float scroll, double seconds, bool tool,
                         bool glides) {
  const ImGuiIO& io = ImGui::GetIO();
  CameraInput input;
  input.seconds = static_cast<float>(std::min(seconds, 0.1)), input.glides = glides;
  input.width = std::max(1.0f, scene.w), input.height = std::max(1.0f, scene.h);
  if (!io.WantCaptureMouse) {
    input.dx = io.MouseDelta.x, input.dy = io.MouseDelta.y;
    input.turns = io.MouseDown[0] && !tool;
    input.pans = io.MouseDown[1] || io.MouseDown[2];
    input.scroll = scroll;
  }
  if (!has_field() && !dialog) {
    const auto pressed = [&](int k) { return window.is_down(kFlight[k]) ? 1.0f : 0.0f; };
    input.forward = pressed(0) - pressed(1), input.right = pressed(2) - pressed(3), input.up = pressed(4) - pressed(5);
  }
  return input;
}

}  // namespace

bool ViewApp::is_idle() const {
  const PaneChoices& panes = state_.panes;
  return !is_measured(config_.view) && !session_.model().running && requests_.empty() && !asks_for_frame(state_) &&
         state_.frames.costs.size() > 10 && !panes.domain.running && !panes.domain.sweeps &&
         !(state_.page.shown && state_.page.sweeps) && !session_.busy() && !session_.asked_for_steps() &&
         !film_.running() && !second_.busy() && !state_.picture.busy &&
         !(panes.shown && (panes.fractal.running || panes.automaton.running));
}

/// Whether something moves although no event comes: clicks and keys of which a frame sees one, a caret, a notice on its
/// way out, captions, a benchmark, diagnostics that are due later.
bool ViewApp::moves() const {
  const auto& seen = chosen().inspected;
  const bool late = !session_.diagnosed() || (state_.view.selected && (!seen || seen->step != chosen().steps));
  const PaneChoices& panes = state_.panes;
  const bool distances = panes.shown && std::string_view(pane_rows()[panes.current].name) == "distances";
  const bool heard = surface_.window().has_clicks() || keys_wait();
  return heard || late || distances || ImGui::GetIO().WantTextInput || !state_.overlay.toast.text.empty() ||
         !state_.overlay.demo.empty() || state_.gallery.pending > 0 || bench_pending(state_.bench) ||
         race_pending(state_.race) || (state_.tour.shown && state_.tour.done_at);
}

/// The events of the next frame. While nothing moves there is no next frame until something happens; an idle window
/// with something that moves, or that settles after an event or a movement, is drawn some times a second.
Events ViewApp::wait_for_events() {
  Window& window = surface_.window();
  if (!is_idle()) {
    const double rest = kFrame - (clock_s() - loop_.settling.begun());  // nothing is drawn that would take this time
    loop_.settling.begin(clock_s());
    return window.poll(is_unseen() && state_.panels.vsync ? std::clamp(rest, 0.0, kFrame) : 0);
  }
  for (;;) {
    if (moves() && !is_unseen()) loop_.settling.begin(clock_s());
    const bool still = loop_.settling.is_over(clock_s());
    Events events = window.poll(still ? kStillWait : kIdleWait);
    meter_.rest();
    if (events.any) loop_.settling.begin(clock_s());
    if (!still || events.any || window.should_close() || interrupt_flag().load()) return events;
  }
}

void ViewApp::apply_input() {
  const Events events = wait_for_events();
  const double now = clock_s();
  loop_.touched = events.any;
  loop_.frame_seconds = loop_.time > 0 ? now - loop_.time : 0;
  loop_.time = now;
  const ImGuiIO& io = ImGui::GetIO();
  for (const KeyPress& key : events.keys) {
    if (key.key == GLFW_KEY_ESCAPE && has_popup()) continue;  // which that closes
    if (flies(key, state_.view.camera)) continue;
    on_key(key, {session_.model(), state_, requests_, &chosen()});
  }
  if (!events.keys.empty() || io.MouseReleased[0] || io.MouseReleased[1]) state_.first.touched = true;
  if (!events.dropped.empty()) {
    const std::string& first = state_.pending.open = events.dropped.front();
    const std::size_t count = events.dropped.size();
    if (count > 1) session_.note(phrase("{} files were dropped; the first is opened: {}.", count, first), false);
  }
  const Rect scene = touch_place();
  const bool tool = apply_pointer(state_.touch, pointer_over(scene, surface_.window().left_button()));
  const render::CameraPose pose = state_.view.camera.pose;
  move_camera(state_.view.camera,
              camera_input(surface_.window(), scene, state_.files.browser.shown() || state_.palette.shown,
                           events.scroll, loop_.frame_seconds, tool, !state_.panels.calm));
  if (state_.view.camera.pose != pose) loop_.settling.begin(now), state_.view.on_path = false;
  if (io.MouseReleased[0] && !io.WantCaptureMouse && !tool) {
    const Release release{io.MousePos.x, io.MousePos.y, io.MouseDragMaxDistanceSqr[0]};
    if (const auto at = scene_click(release, scene, state_.panels.scale)) state_.pending.pick = at;
  }
}

}  // namespace tri::app::gui
