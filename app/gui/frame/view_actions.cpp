// What view starts with, and what it does with files and pictures that are asked for.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/gui/base/race.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/frame/frame.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/frame/scene_picture.hpp"
#include "app/gui/frame/script.hpp"
#include "app/gui/frame/view_app.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/automata.hpp"
#include "app/session/session_model.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/language.hpp"
#include "app/support/option_values.hpp"
#include "app/support/run_config.hpp"
#include "render/image.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::app::gui {
namespace {

/// `view gasket:r=12`: the automaton runs in a bottom pane below the bodies of the default scene.
bool shows_automaton(const RunConfig& config) { return config.view.demo.empty() && names_automaton(config.run.scene); }

/// The options given of laws and units.
std::vector<std::string> of_laws(const RunConfig& config) {
  std::vector<std::string> options;
  for (const char* option : {"--units", "--law", "--triple-law"}) {
    if (config.given.count(option)) options.emplace_back(option);
  }
  for (const GivenParameter& p : config.run.parameters) options.push_back(p.option);
  return options;
}

/// Options of a run that is computed.
void check_recorded(const RunConfig& config, const std::string& series) {
  constexpr const char* kOfRun[] = {"--dt", "--eta", "--integrator"};
  constexpr const char* kOfEngine[] = {"--map",   "--block",       "--accumulate", "--arithmetic", "--tolerance",
                                       "--pairs", "--broad-phase", "--slice-ms",   "--precision",  "--threads"};
  const auto refuse = [&](const std::string& option) {
    if (config.given.count(option) == 0) return;
    throw ConfigError(
        fmt::format("{} is of a run that is computed, and {} is recorded; leave it out.", option, series));
  };
  for (const std::string& option : of_laws(config)) refuse(option);
  for (const char* option : kOfRun) refuse(option);
  if (config.command != Command::render) return;  // the window can go on from a state
  for (const char* option : kOfEngine) refuse(option);
}

/// The file that says what a recorded run is of.
std::string first_file(const std::string& scene) {
  return Series::is_named_by(scene) ? Series(scene).entries().front().path : scene;
}

EngineOverrides overrides_of(const RunConfig& config, const std::string& scene) {
  CommonOptions common = config.common;
  const bool jerks = config.run.integrator == Integrator::hermite || config.run.dt_auto || config.run.eta;
  if (jerks && !common.precision) common.precision = Precision::fp64;
  // Maps and blocks of an automaton on a fractal are not those of the bodies; and which domains a scene has matters to
  // no other option.
  const bool own_maps = shows_automaton(config) && !config.run.scene.starts_with(kTriangleLife);
  if (own_maps || (common.maps.empty() && common.blocks.empty())) return common;
  return engine_overrides(common, domains_of(scene_to_view(first_file(scene)).scene.field));
}

}  // namespace

bool plays_first_scene(const RunConfig& config) {
  return config.run.scene.empty() && config.view.demo.empty() && !is_measured(config.view);
}

std::string scene_text(const RunConfig& config) {
  if (shows_automaton(config)) {
    for (const std::string& option : of_laws(config)) {
      throw ConfigError(fmt::format("{} does not apply to an automaton; leave it out.", option));
    }
    return kDefaultScene;
  }
  std::string text = plays_first_scene(config) ? kFirstScene : config.run.scene;
  if (text.empty()) text = kDefaultScene;
  if (!config.view.demo.empty()) text = Demo(config.view.demo, config.run.scene).first_scene();
  for (const std::string& option : of_laws(config)) {
    if (!is_picture(text) || option == "--law" || option == "--triple-law") continue;  // another law may act there
    throw ConfigError(fmt::format("{} is of a scene or a file of bodies; that of {} is in the picture.", option, text));
  }
  if (Series::is_named_by(text)) check_recorded(config, text);
  if (is_scene(text)) return with_options(text, config);
  if (config.common.seed) {
    throw ConfigError(fmt::format("--seed makes the bodies of a named scene; those of {} are in the file.", text));
  }
  return config.run.units.empty() ? text : with_units(text, config.run.units);
}

namespace {

/// The map of the bodies steps it.
void open_triangle(const RunConfig& config, const AutomatonSpec& spec, AutomatonChoice& choice) {
  if (!config.common.blocks.empty()) {
    throw ConfigError(fmt::format("--block: the window steps {} in tiles of its own; leave it out.", kTriangleLife));
  }
  if (spec.triangle < TriangleAutomaton::kMinSide || spec.triangle > TriangleAutomaton::kMaxSide) {
    throw ConfigError(fmt::format("the window shows triangles of {} to {} cells a side; n = {}.",
                                  TriangleAutomaton::kMinSide, TriangleAutomaton::kMaxSide, spec.triangle));
  }
  choice.side = spec.triangle, choice.rule = to_string(spec.rule), choice.seed = spec.seed;
  choice.density = spec.density;
}

}  // namespace

void open_panes(const RunConfig& config, PaneChoices& panes) {
  if (!shows_automaton(config)) return;
  FractalChoice& choice = panes.fractal;
  std::string scene = config.run.scene;
  if (config.common.seed) {
    scene += fmt::format("{}seed={}", scene.find(':') == std::string::npos ? ":" : ",", *config.common.seed);
  }
  const AutomatonSpec spec = automaton_from(scene);
  if (spec.triangle != 0) return open_triangle(config, spec, panes.automaton), show_pane("automaton", panes);
  choice.scene = scene;
  choice.work.placement = spec.work.placement;
  if (config.common.maps.size() > 1 || config.common.blocks.size() > 1) {
    throw ConfigError("an automaton takes one --map and one --block.");
  }
  if (!config.common.maps.empty()) choice.work.map = gasket_map_from(config.common.maps.front());
  if (!config.common.blocks.empty()) choice.work.block = config.common.blocks.front();
  show_pane("fractal", panes);
}

Session open_session(const RunConfig& config, Console& console) {
  ask::Open first{scene_text(config)};
  Requests then;
  const bool picture = is_picture(first.scene);
  if (picture) {
    then = picture_requests(first.scene);
    first = std::get<ask::Open>(then.front());
    then.erase(then.begin());
  }
  const EngineOverrides given = overrides_of(config, first.scene);
  const RunOptions& run = config.run;
  RunConfig rest = config;  // what the text of the scene does not say
  rest.run.scene = first.scene, rest.run.units.clear(), rest.common.seed.reset();
  rest.run.parameters = parameters_beside(first.scene, run);
  const bool goes_on = picture || Series::is_named_by(first.scene) ||
                       (!takes_keys(first.scene) && holds_run(first.scene));  // with laws and steps of its own
  if (!goes_on) return Session(open_backend(config.common, &console), first, given, {}, scene_of(rest, true));
  if (!run.law.empty() || !run.triple_law.empty() || !rest.run.parameters.empty()) {
    ForceField field = scene_to_view(first_file(first.scene)).scene.field;
    if (!run.law.empty()) set_pair_law(field, run.law);
    if (!run.triple_law.empty()) set_triple_law(field, run.triple_law);
    set_parameters(field, rest.run.parameters);
    then.push_back(ask::Field{field});
  }
  if (run.dt) then.push_back(ask::TimeStep{*run.dt});
  if (run.integrator) then.push_back(ask::Scheme{*run.integrator});
  if (run.dt_auto || run.eta) {
    const Integrator before = scene_to_view(first_file(first.scene)).scene.integrator;
    then.push_back(ask::AutoStep{run.eta.value_or(usual_eta(run.integrator.value_or(before)))});
  }
  return Session(open_backend(config.common, &console), first, given, then);
}

bool is_picture(const std::string& path) { return path.ends_with(".png"); }

Requests picture_requests(const std::string& path) {
  const render::ImageTexts texts = render::read_png_texts(path);
  const auto text = texts.find(kSessionKey);
  if (text == texts.end()) {
    throw FileError(phrase("{}: this picture carries no scene; screenshots of Triangulum do.", path));
  }
  return session_requests(text->second);
}

namespace {

/// Shows the progress of opening a scene over the old one. Esc, or closing the window, stops it, and the old scene
/// stays.
class OpenProgress final : public ProgressSink {
 public:
  explicit OpenProgress(const ActionHandler::DrawProgress& draw) : draw_(draw) {}
  void report(const ProgressReport& report) override {
    if (report.kind == ProgressKind::writing || clock_s() < next_) return;
    const auto line = formatter_.line(report, kQuiet);
    if (!line) return;
    if (!draw_(*line + tr(" (Esc stops it)"))) {
      throw InterruptedError(phrase("{}: stopped; the previous scene stays.", report.name));
    }
    next_ = clock_s() + kPeriod;
  }

 private:
  static constexpr double kQuiet = 0.3, kPeriod = 0.08;  // seconds
  const ActionHandler::DrawProgress& draw_;
  ProgressFormatter formatter_;
  double next_ = 0;
};

/// With a notice that says so, or why not.
void save_text(Session& session, const std::string& path, const std::string& text) {
  session.attempt([&] {
    write_file(path, text);
    session.note(phrase("wrote {}", with_folder(path)), false);
  });
}

/// Applies the requests, then opens a file: a picture as the session that it carries, anything else as a scene or a
/// file of bodies. Returns the path of what was opened; empty: nothing was.
std::string open_pending(Session& session, Requests& requests, std::string& pending,
                         const ActionHandler::DrawProgress& draw) {
  OpenProgress progress(draw);
  const ScopedProgressSink watching(progress);
  session.apply(std::exchange(requests, {}));
  const std::string path = std::exchange(pending, {});
  if (path.empty()) return {};
  const u64 before = session.opened();
  session.attempt([&] { session.apply(is_picture(path) ? picture_requests(path) : Requests{ask::Open{path}}); });
  return session.opened() != before ? path : std::string();
}

}  // namespace

void PausedRun::pause(Session& session) {
  if (session.model().running) opened_ = session.opened(), until_ = session.model().until;
  session.apply(ask::Run{false});
}

void PausedRun::go_on(Session& session, bool works) {
  if (!opened_) return;
  const SessionModel& m = session.model();
  if (m.running || session.opened() != *opened_) opened_.reset();
  if (works || !opened_) return;
  opened_.reset();
  if (!until_) return session.apply(ask::Run{true});
  const double left = (m.backwards ? -1 : 1) * (*until_ - m.time);  // a film may have come there
  if (left > (m.scene.eta > 0 ? 0 : m.scene.dt / 2)) session.apply(ask::RunUntil{*until_});
}

ActionHandler::ActionHandler(const RunConfig& config, SettingsFile settings)
    : config_(config), settings_(std::move(settings)) {
  if (!config.view.demo.empty()) demo_.emplace(config.view.demo, config.run.scene);
}

void ActionHandler::perform(Session& session, GuiState& state, Requests& requests, Window& window, double seconds,
                            const DrawProgress& draw_progress) {
  switch_demo(session, state);
  if (demo_) demo_->frame(std::min(seconds, 0.1), session.model(), state, requests);
  if (auto columns = ColumnChoice::of(state.pending.open); !columns.path.empty()) {  // to be asked for is no error
    state.files.columns = std::move(columns), state.panels.open = "Scene", state.pending.open.clear();
  }
  const std::string opened = open_pending(session, requests, state.pending.open, draw_progress);
  if (!opened.empty()) state.files.columns = {};
  if (!opened.empty() && std::filesystem::exists(opened)) state.files.recent.add(opened);
  load_settings(session, state, window);
  run_bench(session, state.bench);
  run_race(session, state.race);
  const bool films = state.film.start || state.film.now;
  if (state.film.start) paused_.pause(session);
  paused_.go_on(session, films || bench_pending(state.bench) || race_pending(state.race));
  save_plots(session);
  use_text_file(session, state);
  session.attempt([&] { drafts_.save(state, clock_s()); });
}

void ActionHandler::read_drafts(Session& session, GuiState& state, const std::string& path) {
  drafts_ = DraftsFile(path);
  session.attempt([&] { drafts_.read(state); });
}

/// Opens or saves the text of an editor.
void ActionHandler::use_text_file(Session& session, GuiState& state) {
  const auto file = std::exchange(state.pending.text_file, {});
  if (!file) return;
  const bool law = file->kind == FileBrowser::Kind::law;
  std::string& text = law ? state.law_editor.text : state.map_editor.text;
  if (file->purpose == FileBrowser::Purpose::save) return save_text(session, file->path, text);
  session.attempt([&] {
    std::string read = read_small_file(file->path);
    (law ? state.law_editor.before : state.map_editor.before) = std::exchange(text, std::move(read));
  });
}

void ActionHandler::save_plots(Session& session) {
  for (const PlotFile& plot : release_plot_files()) {
    save_text(session, plot.path, plot.text);
  }
}

namespace {

/// The status of the job where it is newer than the last; a failure becomes a notice.
void update_status(Session& session, const BenchJob& job, const char* what, std::shared_ptr<const BenchStatus>& last) {
  const u64 version = job.version();
  if (version == 0 || (last != nullptr && last->version == version)) return;
  auto now = std::make_shared<BenchStatus>(job.status());
  const bool ended = last != nullptr && last->running && !now->running;
  if (ended && !now->error.empty()) session.note(fmt::format("{}: {}", what, now->error), true);
  if (ended && any_failed(now->groups)) {
    session.note(phrase("{}: a check failed; the timings are meaningless.", what), true);
  }
  last = std::move(now);
}

}  // namespace

void ActionHandler::run_race(Session& session, RaceState& race) {
  if (std::exchange(race.cancel, false)) race_.cancel(), race_extra_.cancel();
  session.attempt([&] {
    if (!std::exchange(race.start, false)) return;
    const CommonOptions common = on_one_device(config_.common);
    race_.start(race_config(race, common), [common] { return open_backend(common); });
    race.timed = race.n;
    paused_.pause(session);
  });
  update_status(session, race_, "race", race.status);
  run_race_extra(session, race);
  const std::string path = std::exchange(race.save, {});
  if (path.empty()) return;
  const std::string text = race_csv(race);
  text.empty() ? session.note("nothing has been raced yet.", true) : save_text(session, path, text);
}

/// One at a time, beside no race.
void ActionHandler::run_race_extra(Session& session, RaceState& race) {
  const bool runs = race_.status().running || race_extra_.status().running;
  if (const auto wanted = runs ? std::nullopt : std::exchange(race.extra, {})) {
    session.attempt([&] {
      const CommonOptions common = on_one_device(config_.common);
      const bool device = session.model().backend.name == "cuda";
      race_extra_.start(race_extra_config(*wanted, race, common, device), [common] { return open_backend(common); });
      race_extra_of_ = *wanted;
      paused_.pause(session);
    });
  }
  update_status(session, race_extra_, "race", race.extras[static_cast<std::size_t>(race_extra_of_)]);
}

void ActionHandler::run_bench(Session& session, BenchPanel& panel) {
  const BenchChoice& bench = panel.choice;
  if (std::exchange(panel.cancel, false)) bench_.cancel();
  session.attempt([&] {
    if (std::exchange(panel.start, false)) {
      bench_.start(bench_config(bench), [common = bench_config(bench).common] { return open_backend(common); });
      panel.shown_group = ~std::size_t{0};
      paused_.pause(session);
    }
    if (const std::string path = std::exchange(panel.save, {}); !path.empty()) {
      bench_.save(path);
      session.note(phrase("wrote {}", with_folder(path)), false);
    }
  });
  update_status(session, bench_, "benchmark", panel.status);
}

void ActionHandler::switch_demo(Session& session, GuiState& state) {
  const std::string name = std::exchange(state.pending.demo, {});
  if (name.empty()) return;
  demo_.reset();
  state.overlay.demo.clear(), state.overlay.caption.clear();
  if (name == "none") {
    session.apply(ask::Compare{false});
    return;
  }
  demo_.emplace(name, "", true);
  state.overlay.demo = name;
}

/// A script names a file of its own.
void ActionHandler::load_settings(Session& session, GuiState& state, Window& window) {
  const std::string path = std::exchange(state.pending.settings, {});
  if (path.empty()) return;
  settings_ = SettingsFile(path);
  if (!settings_.fault().empty()) session.note(settings_.fault(), true);
  apply_settings(settings_.settings(), state);
  if (!config_.given.contains("--size")) window.resize(state.panels.window_width, state.panels.window_height);
}

/// Size, scale and language of the command line hold for this window only and are not saved.
void ActionHandler::save_settings(GuiState& state, const Window& window, Console& console) {
  const auto [width, height] = window.size();
  if (!config_.given.contains("--size") && !state.panels.full_screen && width > 0 && height > 0) {
    state.panels.window_width = std::clamp(width, kMinWindow, kMaxWindow);
    state.panels.window_height = std::clamp(height, kMinWindow, kMaxWindow);
  }
  if (config_.view.language == state.panels.language) {
    GuiState before;
    apply_settings(settings_.settings(), before);
    state.panels.language = before.panels.language;
  }
  const auto save = [&](const char* what, const auto& work) {
    try {
      work();
    } catch (const FileError& error) {
      console.note(fmt::format("{} The {} of the window are not saved.", error.what(), what));
    }
  };
  save("settings", [&] { settings_.save(settings_of(state)); });
  save("drafts", [&] { drafts_.save(state, 0, true); });
}

namespace {

constexpr double kExposedSeconds = 1.0 / 30;  // as in `render`
constexpr int kSettled = 3;                   // the frame in which panels have found their places at a new size

}  // namespace

/// What draws frames without panels.
struct FilmRun::Screen {
  Screen(const std::string& shaders, const FilmChoice& choice, const Session& session, const TrailChoice& trail)
      : picture(shaders, {choice.width, choice.height, 0, Ground::dark, choice.marks}, session),
        trails(render::ShaderSources(shaders)) {
    if (trail.shown) trails.choose(trail.bodies, trail.length);
  }
  ScenePicture picture;
  render::Trails trails;
};

struct FilmRun::Preview {
  Preview(const std::string& shaders, const PictureForm& of, const Session& session)
      : form(of),
        generation(session.generation()),
        picture(shaders, of, session),
        texture(gl::make_picture(GL_RGB8, static_cast<int>(of.width), static_cast<int>(of.height), GL_LINEAR)) {}
  PictureForm form;
  u64 generation;
  ScenePicture picture;
  gl::Texture texture;
};

void FilmRun::preview(Session& session, GuiState& state, render::InstanceBuffer* bodies, double now) {
  constexpr u32 kWidth = 288, kMaxHeight = 2 * kWidth;
  FilmState& film = state.film;
  const bool wanted = std::exchange(film.in_sight, false) && !running() && !film.choice.panels;
  if (!wanted) film.preview = {};
  if (!wanted || bodies == nullptr || !previewing_.is_due(now)) return;
  const u32 height = kWidth * film.choice.height / std::max(film.choice.width, 1u);
  const PictureForm form{kWidth, std::clamp(height, FilmChoice::kMinSide, kMaxHeight), 0, Ground::dark,
                         film.choice.marks};
  session.attempt([&] {
    if (!preview_ || preview_->form != form || preview_->generation != session.generation()) {
      preview_ = std::make_shared<Preview>(config_.view.shader_dir, form, session);
    }
    SceneView view = state.view;
    if (!view.path.empty()) view.camera.pose = view.path.at(session.model().time);
    const auto image = std::get<render::Image>(preview_->picture.take(session, view, bodies, nullptr, nullptr, 1));
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(preview_->texture.get(), 0, 0, 0, static_cast<GLsizei>(form.width),
                        static_cast<GLsizei>(form.height), GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    film.preview = {preview_->texture.get(), form.width, form.height};
  });
  previewing_.done(now, clock_s());
}

void FilmRun::begin(Session& session, GuiState& state, double now) {
  const SessionModel& model = session.model();
  FilmChoice choice = state.film.choice;
  if (!state.film.start_as.empty()) choice.path = std::exchange(state.film.start_as, {});
  const std::string wanted = std::exchange(choice.path, film_place(choice.path));
  require_disk(choice.path);
  const FrameTarget target = frame_target("film", choice.path);
  if (target == FrameTarget::picture)
    throw ConfigError("A film is FILE.mp4, FILE.webp or a folder; a picture is one frame.");
  if (target == FrameTarget::video && (choice.width % 2 != 0 || choice.height % 2 != 0)) {
    throw ConfigError(phrase("{} \u00d7 {}: both sides of a video are even.", choice.width, choice.height));
  }
  if (model.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  auto screen =
      choice.panels ? nullptr : std::make_shared<Screen>(config_.view.shader_dir, choice, session, state.view.trails);
  if (!choice.panels && choice.marks.legend) note_legend(session, state.view.style);
  writer_ = std::make_unique<FilmWriter>(make_frame_sink(target, choice.path, choice.fps));
  if (choice.path != wanted) {
    session.note(phrase("{} needs ffmpeg, which is not installed: PNG files go to {}", wanted, choice.path), false);
  }
  screen_ = std::move(screen), choice_ = choice;
  a_frame_ = model.timeline.recorded ? 1 : film_steps(choice, model.scene.dt, model.pace).a_frame;
  frames_ = 0, all_ = film_frames(choice);
  step_ = model.steps, generation_ = session.generation();
  from_ = model.time, begun_s_ = now;
  width_ = height_ = 0, drawn_ = 0;
  due_ = true, finishing_ = drawing_ = false;
  session.apply(ask::Run{false});
  was_on_path_ = state.view.on_path;
  if (choice.panels) state.view.on_path = !state.view.path.empty();
}

void FilmRun::ask(Session& session, GuiState& state, double now) {
  FilmState& film = state.film;
  if (std::exchange(film.start, false) && !running()) {
    if (!session.attempt([&] { begin(session, state, now); })) writer_.reset(), screen_.reset();
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
  state.film.now = FilmProgress{frames_, all_, now - begun_s_, choice_.path, writer_->bytes(), finishing_};
  const double seconds = static_cast<double>(frames_) / static_cast<double>(choice_.fps);
  const double before = static_cast<double>(frames_ > 0 ? frames_ - 1 : 0) / static_cast<double>(choice_.fps);
  const double passed = std::abs(session.model().time - from_);
  // Steps to the next frame may be on their way: the speed is taken at frames alone.
  const double speed = !due_ && before > 0 ? passed / before : state.film.mark ? state.film.mark->speed : 0;
  state.film.mark = RecordMark{seconds, speed, writer_->bytes(), free_bytes(choice_.path)};
}

/// Whether a frame is to be taken of the present state. Ends a film that another request has moved on.
bool FilmRun::takes_frame(Session& session) {
  if (!running() || !due_ || finishing_ || session.asked_for_steps() || session.busy()) return false;
  const SessionModel& model = session.model();
  if (const std::string why = disk_refusal(choice_.path); !why.empty()) {
    session.note(phrase("{}: the film ends with {} frames, because {}.", choice_.path, frames_, why), true);
    finish();
    return false;
  }
  if (!model.broken && session.generation() == generation_ && (model.timeline.recorded || model.steps == step_)) {
    return writer_->has_room();
  }
  session.note(
      phrase("{}: the film ends with {} frames, because {}.", choice_.path, frames_,
             model.broken ? "the state holds a value that is not finite" : "the run was moved by other requests"),
      true);
  finish();
  return false;
}

void FilmRun::draw(Session& session, const GuiState& state, render::InstanceBuffer* bodies,
                   render::InstanceBuffer* second) {
  if (screen_ == nullptr || !takes_frame(session)) return;
  const SessionModel& model = session.model();
  if (!std::exchange(drawing_, true)) {
    SceneView view = state.view;
    if (!view.path.empty()) view.camera.pose = view.path.at(model.time);
    if (view.trails.shown) screen_->trails.record(*bodies, std::nullopt);
    screen_->picture.begin(session, view, bodies, second, &screen_->trails,
                           frames_ == 0 ? 1.0f : adaptation_in(kExposedSeconds));
  }
  std::optional<TakenPicture> taken = screen_->picture.work_in_turn(drawn_at_);
  if (!taken) return;
  drawing_ = false;
  take(model, std::move(std::get<render::Image>(*taken)));
}

std::optional<std::pair<u32, u32>> FilmRun::window_size() const {
  if (!running() || screen_ != nullptr || choice_.width == 0) return std::nullopt;
  return std::pair(choice_.width, choice_.height);
}

void FilmRun::capture_window(Session& session, u32 width, u32 height) {
  if (!running() || screen_ != nullptr || ++drawn_ < kSettled || !takes_frame(session)) return;
  width -= width % 2, height -= height % 2;
  if (frames_ == 0) width_ = width, height_ = height;
  if (width != width_ || height != height_) {
    session.note(
        phrase("{}: the film ends with {} frames, because the size of the window changed.", choice_.path, frames_),
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
  const std::string wrote = phrase("wrote {} frames to {}", frames_, with_folder(choice_.path));
  session.note(failure.empty() ? wrote : failure, !failure.empty());
  writer_.reset(), screen_.reset();
  state.film.now.reset(), state.film.mark.reset();
  state.view.on_path = state.view.on_path && was_on_path_;
}

void FilmRun::end(Session& session, GuiState& state) {
  if (!running()) return;
  finish();
  writer_->wait();
  leave(session, state);
}

}  // namespace tri::app::gui
