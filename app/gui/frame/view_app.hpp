#pragma once
/// The window as a program: the session that it opens, pending actions, films, its loop.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/bench/report.hpp"
#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/frame.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/frame/scene_picture.hpp"
#include "app/gui/frame/script.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/gl/gl.hpp"
#include "render/view.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {

/// Whether a window opens that nobody gave a scene: it plays kFirstScene at once.
bool plays_first_scene(const RunConfig& config);
/// The text of the scene. Throws ConfigError where --seed has no meaning.
std::string scene_text(const RunConfig& config);

/// Opens the bottom pane that the command line asks for. Throws ConfigError, FileError.
void open_panes(const RunConfig& config, PaneChoices& panes);

/// Opens scene and backend, or the session that a picture carries; the console must outlive the session. Throws what
/// they throw.
Session open_session(const RunConfig& config, Console& console);

/// Whether a path is opened as a picture that carries a session.
bool is_picture(const std::string& path);
/// The requests that restore the session of a picture; the first opens its scene. Throws FileError where it carries
/// none.
Requests picture_requests(const std::string& path);

// Style and camera of `render` from its options. Pure.

/// Throws ConfigError for unknown names.
void check_look(const RenderOptions& options);
/// Throws ConfigError for an option that does not act in this style, which the scene or other options have chosen.
void check_look(const RenderOptions& options, const render::BodyStyle& style);

/// The style of the options, else that of the scene. Throws as check_look().
render::BodyStyle style_of(const RenderOptions& options, const Scene& scene);

/// The camera of frame `frame` of `frames` (0 the first), from one that shows the whole scene.
render::Camera camera_of(const RenderOptions& options, const render::Camera& whole, u64 frame, u64 frames);

// Performs what panels, keys and scripts ask of the window: opening scenes, demonstrations, settings and benchmarks.

/// Pauses the run while others time something or make a film, and lets it go on after the last of them, up to the time
/// at which it was to rest.
class PausedRun {
 public:
  void pause(Session& session);
  /// Once a frame. works: they go on.
  void go_on(Session& session, bool works);

 private:
  std::optional<u64> opened_;    ///< the scene that ran; none: it did not run, or somebody has run it since
  std::optional<double> until_;  ///< it was to rest there
};

class ActionHandler {
 public:
  /// config must outlive the handler. Throws ConfigError for an unknown demonstration.
  ActionHandler(const RunConfig& config, SettingsFile settings);

  /// Draws one frame with the progress of opening a scene; false when the user stops it.
  using DrawProgress = std::function<bool(const std::string& text)>;
  /// Once a frame, at a step boundary: applies the requests and performs the pending actions but those of drawing.
  /// seconds: since the last frame. Failures are notices.
  void perform(Session& session, GuiState& state, Requests& requests, Window& window, double seconds,
               const DrawProgress& draw_progress);
  /// When the window closes: settings and drafts.
  void save_settings(GuiState& state, const Window& window, Console& console);
  /// Those of the last start; a failure is a notice. Before the first frame.
  void read_drafts(Session& session, GuiState& state, const std::string& path);

 private:
  void switch_demo(Session& session, GuiState& state);
  void load_settings(Session& session, GuiState& state, Window& window);
  void run_bench(Session& session, BenchPanel& panel);
  void run_race(Session& session, RaceState& race);
  void run_race_extra(Session& session, RaceState& race);
  void save_plots(Session& session);
  void use_text_file(Session& session, GuiState& state);

  const RunConfig& config_;
  SettingsFile settings_;
  DraftsFile drafts_;
  PausedRun paused_;
  std::optional<Demo> demo_;
  BenchJob bench_, race_, race_extra_;
  RaceExtra race_extra_of_ = RaceExtra::over_n;  ///< what the last of these was
};

// The film that the window makes of its run: a whole number of steps from frame to frame, each drawn at the film's own
// size, whatever the window's and however long it takes. The window goes on meanwhile. With panels a frame is that of
// the window, which is drawn at the film's size until that ends.
//
// In a frame of the loop: ask() -> steps -> draw() -> capture_window().

class FilmRun {
 public:
  explicit FilmRun(const RunConfig& config) : config_(config) {}

  bool running() const noexcept { return writer_ != nullptr; }
  /// At a step boundary, after the requests: begins and stops films, and asks for the steps to the next frame. now:
  /// seconds of the clock. Failures are notices; frames before one stay as the sink keeps them.
  void ask(Session& session, GuiState& state, double now);
  /// After the steps: draws the frame that is due, or a part of it where it takes longer than the window can wait.
  /// bodies: as published; second: of the run beside it, or null.
  void draw(Session& session, const GuiState& state, render::InstanceBuffer* bodies, render::InstanceBuffer* second);
  /// Where the panel shows what the film is to be: a frame of it in small, in a tenth of the time.
  void preview(Session& session, GuiState& state, render::InstanceBuffer* bodies, double now);
  /// What the window is drawn at, if not at its own size.
  std::optional<std::pair<u32, u32>> window_size() const;
  /// With panels: the frame is what the bound framebuffer shows.
  void capture_window(Session& session, u32 width, u32 height);
  /// Ends a film with the frames that it has, and waits until they are written.
  void end(Session& session, GuiState& state);

 private:
  struct Screen;
  struct Preview;
  void begin(Session& session, GuiState& state, double now);
  bool takes_frame(Session& session);
  void finish();
  void take(const SessionModel& model, render::Image image);
  void leave(Session& session, GuiState& state);
  void show(GuiState& state, const Session& session, double now) const;

  const RunConfig& config_;
  std::unique_ptr<FilmWriter> writer_;  ///< while a film is made
  std::shared_ptr<Screen> screen_;      ///< without panels
  std::shared_ptr<Preview> preview_;    ///< made at the first look
  TimeShare previewing_{.share = 0.1, .seconds = 0.2};
  FilmChoice choice_;
  u64 frames_ = 0, all_ = 0, a_frame_ = 1;
  u64 step_ = 0, generation_ = 0;             ///< of the frame that is due
  double from_ = 0, begun_s_ = 0;             ///< simulated time of the first frame; seconds of the clock
  u32 width_ = 0, height_ = 0;                ///< of the first frame
  int drawn_ = 0;                             ///< frames of the window since the start
  bool due_ = false;                          ///< a frame is to be taken at step_
  bool finishing_ = false, drawing_ = false;  ///< drawing: parts of the frame are to come
  double drawn_at_ = 0;                       ///< when the last parts were
  bool was_on_path_ = false;                  ///< the camera, before the film
};

// Two runs side by side: B, a second session of the same scene on a step thread of its own. It is the other branch of
// the window's run, A, or begins where A stands.
// It takes the steps that A takes; its laws, map, sums, integrator and bodies can be others.

class SecondRun {
 public:
  explicit SecondRun(const RunConfig& config) : config_(config) {}

  /// At a step boundary of A, before its requests: begins and ends B as chosen, takes the requests that are B's, which
  /// come where B stands with A, and lets it follow A. Failures are notices of A, and end B. now: seconds of the clock.
  void update(Session& a, SecondChoice& choice, Requests& requests, double now);
  /// Whether B stands where A stands, so that A may go on. True without B.
  bool level(const Session& a) const;
  /// Null without B.
  const SessionModel* model() const { return b_ ? &b_->model() : nullptr; }
  render::InstanceBuffer* bodies() const { return b_ ? publisher_->buffer() : nullptr; }
  bool busy() const { return b_ && (b_->busy() || b_->asked_for_steps()); }
  /// B, to be read; null without it, and while it takes steps.
  Session* at_rest() { return b_ && b_->finish_steps(0) ? b_.get() : nullptr; }

 private:
  void begin(Session& a, SecondChoice& choice);
  void collect(Session& a, Requests& requests, bool controls_b);
  void follow(const SessionModel& a);
  bool restarts(const SessionModel& a) const;
  u64 place(const SessionModel& a) const;

  const RunConfig& config_;
  std::unique_ptr<BodyPublisher> publisher_;
  std::unique_ptr<Session> b_;
  Requests waiting_;          ///< of B, until it stands with A
  u64 opened_ = 0, run_ = 0;  ///< the scene of A, and its run
  std::size_t notices_ = 0;
};

/// Whether a request changes how a run is computed, or its bodies, so that it can be that of B alone.
bool is_of_one_run(const Request& request);

/// The camera while two runs share the scene: fitted to a half, and where it was before once they end, unless somebody
/// moved it meanwhile or opened another scene.
class SharedCamera {
 public:
  /// Once a frame. two: whether there are two; scene: counts those that were opened. fit: whether the scene is to be
  /// fitted in this frame.
  void follow(SceneView& view, bool follows, bool two, u64 scene, bool& fit);
  /// After the scene was fitted.
  void fitted(const SceneView& view);

 private:
  struct Seen {
    render::CameraPose pose;
    SceneLengths lengths;
  };
  bool two_ = false, own_ = false;  ///< there are two; the next fit is not the user's
  bool asked_ = false;              ///< the user's was the last
  u64 scene_ = 0;
  Seen before_;
  std::optional<render::CameraPose> fitted_;
};

// The app in its window: one frame after another until it is closed.

class ViewApp {
 public:
  /// Reads the script, opens the scene, then the window; each throws its own error. Both must outlive the app.
  ViewApp(const RunConfig& config, Console& console);
  /// Runs until the window is closed, the script ends or the given number of frames is over. Returns the exit code.
  int run();

 private:
  ViewApp(const RunConfig& config, Console& console, const SettingsFile& settings);
  void frame();
  void apply_input();
  void update(double now);
  void draw_frame();
  void account_frame();
  void draw_panels(const Layout& places);
  Rect runs_place() const;
  Rect first_place() const;
  Rect touch_place() const;
  Session* touched_run();
  void look_at_run(double now);
  const SessionModel& chosen() const;
  void follow_path();
  void save_after_loss();
  void capture_pictures(u32 width, u32 height);
  bool draw_progress(const std::string& text);
  void open_scene();
  bool is_idle() const;
  bool moves() const;
  Events wait_for_events();
  bool is_unseen() const;
  Capture::Moves movement() const;
  Layout places() const;
  PaneContext pane_context() const;
  int exit_code() const;

  /// Where the loop is.
  struct Loop {
    u64 updates = 0;            ///< frames in which the state was at rest
    double time = 0;            ///< of the last input, in seconds
    double updated = 0;         ///< time of the last update
    double frame_seconds = 0;   ///< since the last frame
    Settling settling;          ///< since the last event, or the last change while idle
    bool awaits_steps = false;  ///< requested steps are in progress
    bool last = false;          ///< this frame is the last one
    bool touched = false;       ///< an event came in this frame
    bool updated_now = false;   ///< the state was at rest in this frame
    double gl_offset = 0;       ///< from the clock of OpenGL to clock_s()
    double gl_offset_at = 0;    ///< when it was read
  };

  const RunConfig& config_;
  Console& console_;
  std::optional<Script> script_;
  Session session_;
  GuiState state_;
  Requests requests_;
  WindowSurface surface_;
  SceneDisplay scene_;
  ThumbKeeper thumbs_;
  TouchScene touch_;
  Capture capture_;
  FilmRun film_;
  PictureRun picture_;
  SecondRun second_;
  SharedCamera camera_;
  BottomPanes panes_;
  ScenePictures pictures_;
  ActionHandler actions_;
  FrameMeter meter_;
  Loop loop_;
  u64 devices_lost_ = 0;  // those after which the state was saved
};

}  // namespace tri::app::gui
