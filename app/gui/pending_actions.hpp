#pragma once
/// Performs what panels, keys and scripts ask of the window: opening scenes, demonstrations, settings and benchmarks.

#include <functional>
#include <optional>
#include <string>

#include "app/bench/bench_job.hpp"
#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/script/demo.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app::gui {

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
  /// When the window closes.
  void save_settings(const GuiState& state, const Window& window, Console& console);

 private:
  void switch_demo(Session& session, GuiState& state);
  void load_settings(Session& session, GuiState& state, Window& window);
  void run_bench(Session& session, BenchPanel& panel);
  void run_race(Session& session, RaceState& race);
  void run_race_extra(Session& session, RaceState& race);
  void save_plots(Session& session);

  const RunConfig& config_;
  SettingsFile settings_;
  std::optional<Demo> demo_;
  BenchJob bench_, race_, race_extra_;
  RaceExtra race_extra_of_ = RaceExtra::over_n;  ///< what the last of these was
};

}  // namespace tri::app::gui
