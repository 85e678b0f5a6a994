#pragma once
/// The app in its window: one frame after another until it is closed.

#include <optional>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/film_run.hpp"
#include "app/gui/frame/capture.hpp"
#include "app/gui/frame/frame_meter.hpp"
#include "app/gui/frame/window_surface.hpp"
#include "app/gui/pending_actions.hpp"
#include "app/gui/scene_display.hpp"
#include "app/gui/script/script.hpp"
#include "app/gui/second_run.hpp"
#include "app/gui/start/scene_pictures.hpp"
#include "app/gui/touch_scene.hpp"
#include "app/gui/views/bottom_panes.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app::gui {

class ViewApp {
 public:
  /// Reads the script, opens the scene, then the window; each throws its own error. Both must outlive the app.
  ViewApp(const RunConfig& config, Console& console);
  /// Runs until the window is closed, the script ends or the given number of frames is over. Returns the exit code.
  int run();

 private:
  ViewApp(const RunConfig& config, Console& console, const SettingsFile& settings);
  void frame();
  void take_input();
  void update(double now);
  void draw_frame();
  void account_frame();
  void draw_panels(const Layout& places);
  Rect runs_place() const;
  Rect first_place() const;
  void follow_path();
  void take_pictures(u32 width, u32 height);
  bool draw_progress(const std::string& text);
  void open_scene();
  bool is_idle() const;
  bool moves() const;
  Events wait_for_events();
  Layout places() const;
  PaneContext pane_context() const;
  int exit_code() const;

  /// Where the loop is.
  struct Loop {
    u64 updates = 0;            ///< frames in which the state was at rest
    double time = 0;            ///< of the last input, in seconds
    double updated = 0;         ///< time of the last update
    double frame_seconds = 0;   ///< since the last frame
    double active = 0;          ///< time of the last event, or of the last change while idle
    bool awaits_steps = false;  ///< requested steps are in progress
    bool last = false;          ///< this frame is the last one
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
  TouchScene touch_;
  Capture capture_;
  FilmRun film_;
  SecondRun second_;
  BottomPanes panes_;
  start::ScenePictures pictures_;
  ActionHandler actions_;
  FrameMeter meter_;
  Loop loop_;
};

}  // namespace tri::app::gui
