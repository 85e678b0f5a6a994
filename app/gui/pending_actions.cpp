#include "app/gui/pending_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/base/plot_view.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/session_start.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/progress_line.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app::gui {
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
    if (!draw_(*line + " (Esc stops it)")) {
      throw InterruptedError(fmt::format("{}: stopped; the previous scene stays.", report.name));
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
  try {
    io::OutputFile file(path, io::Accepts::files);
    file.write(text);
    file.commit();
    session.note(fmt::format("wrote {}", path), false);
  } catch (const Error& error) {
    session.note(error.what(), true);
  }
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
  try {
    session.apply(is_picture(path) ? picture_requests(path) : Requests{ask::Open{path}});
  } catch (const std::exception& error) {
    session.note(error.what(), true);
  }
  return session.opened() != before ? path : std::string();
}

}  // namespace

ActionHandler::ActionHandler(const RunConfig& config, SettingsFile settings)
    : config_(config), settings_(std::move(settings)) {
  if (!config.view.demo.empty()) demo_.emplace(config.view.demo, config.run.scene);
}

void ActionHandler::perform(Session& session, GuiState& state, Requests& requests, Window& window, double seconds,
                            const DrawProgress& draw_progress) {
  switch_demo(session, state);
  if (demo_) demo_->frame(std::min(seconds, 0.1), session.model(), state, requests);
  const std::string opened = open_pending(session, requests, state.pending.open, draw_progress);
  if (!opened.empty() && std::filesystem::exists(opened)) state.files.recent.add(opened);
  load_settings(session, state, window);
  run_bench(session, state.bench);
  run_race(session, state.race);
  save_plots(session);
}

void ActionHandler::save_plots(Session& session) {
  for (const PlotFile& plot : take_plot_files()) {
    save_text(session, plot.path, plot.text);
  }
}

namespace {

/// The status of the job where it is newer than the last; a failure becomes a notice.
void take_status(Session& session, const BenchJob& job, const char* what, std::shared_ptr<const BenchStatus>& last) {
  const u64 version = job.version();
  if (version == 0 || (last != nullptr && last->version == version)) return;
  auto now = std::make_shared<BenchStatus>(job.status());
  const bool ended = last != nullptr && last->running && !now->running;
  if (ended && !now->error.empty()) session.note(fmt::format("{}: {}", what, now->error), true);
  if (ended && any_failed(now->groups)) {
    session.note(fmt::format("{}: a check failed; the timings are meaningless.", what), true);
  }
  last = std::move(now);
}

}  // namespace

void ActionHandler::run_race(Session& session, RaceState& race) {
  if (std::exchange(race.cancel, false)) race_.cancel(), race_extra_.cancel();
  try {
    if (std::exchange(race.start, false)) {
      const CommonOptions common = on_one_device(config_.common);
      race_.start(race_config(race, common), [common] { return open_backend(common); });
      race.timed = race.n;
      session.apply(ask::Run{false});
    }
  } catch (const Error& error) {
    session.note(error.what(), true);
  }
  take_status(session, race_, "race", race.status);
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
    try {
      const CommonOptions common = on_one_device(config_.common);
      const bool device = session.model().backend.name == "cuda";
      race_extra_.start(race_extra_config(*wanted, race, common, device), [common] { return open_backend(common); });
      race_extra_of_ = *wanted;
      session.apply(ask::Run{false});
    } catch (const Error& error) {
      session.note(error.what(), true);
    }
  }
  take_status(session, race_extra_, "race", race.extras[static_cast<std::size_t>(race_extra_of_)]);
}

void ActionHandler::run_bench(Session& session, BenchPanel& panel) {
  const BenchChoice& bench = panel.choice;
  if (std::exchange(panel.cancel, false)) bench_.cancel();
  try {
    if (std::exchange(panel.start, false)) {
      bench_.start(bench_config(bench), [common = bench_config(bench).common] { return open_backend(common); });
      panel.shown_group = ~std::size_t{0};
      session.apply(ask::Run{false});
    }
    if (const std::string path = std::exchange(panel.save, {}); !path.empty()) {
      bench_.save(path);
      session.note(fmt::format("wrote {}", path), false);
    }
  } catch (const Error& error) {
    session.note(error.what(), true);
  }
  take_status(session, bench_, "benchmark", panel.status);
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
  const Settings& s = settings_.settings();
  apply(s, state);
  if (!config_.given.contains("--size")) window.resize(s.width, s.height);
}

/// Size and scale of the command line hold for this window only and are not saved.
void ActionHandler::save_settings(const GuiState& state, const Window& window, Console& console) {
  Settings now = settings_of(state, settings_.settings());
  const auto [width, height] = window.size();
  if (!config_.given.contains("--size") && width > 0 && height > 0) {
    now.width = std::clamp(width, Settings::kMinSide, Settings::kMaxSide);
    now.height = std::clamp(height, Settings::kMinSide, Settings::kMaxSide);
  }
  try {
    settings_.keep(now);
  } catch (const FileError& error) {
    console.note(fmt::format("{} The settings of the window are not saved.", error.what()));
  }
}

}  // namespace tri::app::gui
