#pragma once
/// The app in its window: one frame after another until it is closed.

#include <chrono>
#include <memory>
#include <optional>

#include "app/bench/bench_job.hpp"
#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/body_publisher.hpp"
#include "app/gui/frame/memory_log.hpp"
#include "app/gui/frame/present_thread.hpp"
#include "app/gui/frame/recorder.hpp"
#include "app/gui/script/demo.hpp"
#include "app/gui/script/script.hpp"
#include "app/gui/views/bottom_panes.hpp"
#include "app/gui/views/split_view.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"

namespace tri::app::gui {

class ViewApp {
 public:
  /// Reads the script, opens the scene, then the window; each throws its own error.
  ViewApp(const RunConfig& config, Console& console);
  /// Until the window is closed, the script ends or its frames are over. Returns the exit code.
  int run();

 private:
  void frame();
  void simulate(double now);
  void draw_frame();
  void take_input();
  void take_dropped(const std::vector<std::string>& paths);
  void handle_open();
  class OpenWatch;
  bool draw_waiting(const std::string& words);
  void new_scene();
  void handle_pick();
  void record_trails();
  void fit();
  void draw_scene(const Layout& places);
  void draw_panels(const Layout& places);
  void take_screenshot();
  void record();
  void end_film();
  void tell_errors();
  void count_shown(double now);
  void add_cost(double whole_ms);
  void handle_settings();
  void handle_demo();
  void handle_bench();
  void keep_settings();
  bool is_idle() const;
  /// Nobody sits at the window: a script or a number of frames ends it, and its figures are told.
  bool is_measured() const { return !config_.view.script.empty() || config_.view.exit_after.has_value(); }
  void report() const;
  Layout places() const;
  std::vector<render::Line> lines() const;

  const RunConfig& config_;
  Console& console_;
  std::optional<Script> script_;
  std::optional<Demo> demo_;
  SettingsFile settings_;
  Session session_;
  GuiState state_;
  Window window_;
  ImguiContext imgui_;
  ImguiBinding binding_;
  render::BodyRenderer renderer_;
  render::Trails trails_;
  BodyPublisher publisher_;
  Recorder recorder_;
  BottomPanes bottom_panes_;
  SplitView split_;
  BenchJob bench_;
  PresentThread present_thread_;
  PresentThread::Canvas canvas_;  ///< of this frame
  Requests requests_;
  u64 trail_steps_ = 0;  ///< those of the newest place in the trails
  u64 generation_ = 0, frames_ = 0, gl_errors_ = 0;
  std::optional<double> scale_;  ///< last chosen
  bool dark_ = true, last_frame_ = false;
  bool awaited_ = false;  ///< steps asked for one by one are still under way
  u64 steps_drawn_ = 0;   ///< those that led from the state drawn before to this one
  double last_time_ = 0, frame_seconds_ = 0;
  /// Of a frame of a measured run, in ms of this thread; `gpu` and its parts are the drawing of
  /// bodies on the GPU.
  struct Measured {
    double whole = 0, input = 0, steps = 0, look = 0, wait = 0, scene = 0, panel = 0, hand = 0, gpu = 0;
    double count = 0, place = 0, splat = 0, draw = 0, tone = 0;  ///< on the GPU
  };
  Measured now_;
  MemoryLog memory_;
  std::vector<Measured> measured_;            ///< the last ones, as a ring
  double begun_ = 0, counted_at_ = 0;         ///< the first frame, and when those shown were last counted
  u64 counted_ = 0, drawn_ = 0, beside_ = 0;  ///< shown then; drawn; drawn while a step went on that was not done
};

}  // namespace tri::app::gui
