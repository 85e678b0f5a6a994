// What the window does for its panels and scripts: opening, benchmarks, and the settings that are kept.

#include <fmt/format.h>
#include <GLFW/glfw3.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/session_start.hpp"
#include "app/gui/view_app.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/progress_line.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {

/// What takes its time while a scene is opened is told over the old one; Esc, or closing the window, ends it, and the
/// old one stays.
class ViewApp::OpenWatch final : public ProgressSink {
 public:
  explicit OpenWatch(ViewApp& app) : app_(app) {}
  void report(const ProgressReport& report) override {
    if (report.kind == ProgressKind::writing || clock_s() < next_) return;
    const auto line = words_.line(report, kQuiet);
    if (!line) return;
    if (!app_.draw_waiting(*line + " (Esc stops it)")) {
      throw InterruptedError(fmt::format("{}: stopped; the scene before stays.", report.name));
    }
    next_ = clock_s() + kBetween;
  }

 private:
  static constexpr double kQuiet = 0.3, kBetween = 0.08;  // seconds
  ViewApp& app_;
  ProgressFormatter words_;
  double next_ = 0;
};

/// One frame in the middle of opening; false where the user wants no more of it.
bool ViewApp::draw_waiting(const std::string& words) {
  const Events events = window_.poll(0);
  if (window_.should_close() || interrupt_flag().load()) return false;
  for (const KeyPress& key : events.keys) {
    if (key.key == GLFW_KEY_ESCAPE) return false;
  }
  if (frames_ == 0 || window_.width() == 0 || window_.height() == 0) return true;  // there is nothing to draw over
  state_.waiting = words;
  draw_frame();
  state_.waiting.clear();
  return true;
}

/// Does what was asked for. A picture opens as the session that it carries, anything else as a scene or a file of
/// bodies.
void ViewApp::handle_open() {
  OpenWatch watch(*this);
  const ScopedProgressSink watching(watch);
  session_.apply(std::exchange(requests_, {}));
  const std::string path = std::exchange(state_.pending.open, {});
  if (path.empty()) return;
  try {
    session_.apply(is_picture(path) ? picture_requests(path) : Requests{ask::Open{path}});
  } catch (const std::exception& error) {
    session_.note(error.what(), true);
  }
}

void ViewApp::handle_bench() {
  BenchChoice& bench = state_.bench;
  if (std::exchange(bench.cancel, false)) bench_.cancel();
  try {
    if (std::exchange(bench.start, false)) {
      bench_.start(bench_config(bench), [common = bench_config(bench).common] { return open_backend(common); });
      bench.shown_group = ~std::size_t{0};
      session_.apply(ask::Run{false});
    }
    if (const std::string path = std::exchange(bench.save, {}); !path.empty()) {
      bench_.save(path);
      session_.note(fmt::format("wrote {}", path), false);
    }
  } catch (const Error& error) {
    session_.note(error.what(), true);
  }
  const u64 version = bench_.version();
  if (version == 0 || (bench.status != nullptr && bench.status->version == version)) return;
  auto now = std::make_shared<BenchStatus>(bench_.status());
  const bool ended = bench.status != nullptr && bench.status->running && !now->running;
  if (ended && !now->error.empty()) session_.note("benchmark: " + now->error, true);
  if (ended && any_failed(now->groups)) session_.note("benchmark: a check failed; its timing means nothing.", true);
  // The table makes the section longer: once more into view.
  if (!now->groups.empty() && (bench.status == nullptr || bench.status->groups.empty())) bench.shown = 3;
  bench.status = std::move(now);
}

/// One demonstration gives way to another, or to the user.
void ViewApp::handle_demo() {
  const std::string name = std::exchange(state_.pending.demo, {});
  if (name.empty()) return;
  demo_.reset();
  state_.demo.clear(), state_.caption.clear();
  if (name == "none") {
    session_.apply(ask::Compare{false});
    return;
  }
  demo_.emplace(name, "", true);
  state_.demo = name;
}

/// A script names the file of its own.
void ViewApp::handle_settings() {
  const std::string path = std::exchange(state_.pending.settings, {});
  if (path.empty()) return;
  settings_ = SettingsFile(path);
  if (!settings_.fault().empty()) session_.note(settings_.fault(), true);
  const Settings& s = settings_.settings();
  apply(s, state_);
  if (!config_.given.contains("--size")) window_.resize(s.width, s.height);
}

/// What the command line says of size and scale holds for this window alone.
void ViewApp::keep_settings() {
  Settings now = settings_of(state_, settings_.settings());
  const auto [width, height] = window_.size();
  if (!config_.given.contains("--size") && width > 0 && height > 0) {
    now.width = std::clamp(width, Settings::kMinSide, Settings::kMaxSide);
    now.height = std::clamp(height, Settings::kMinSide, Settings::kMaxSide);
  }
  try {
    settings_.keep(now);
  } catch (const FileError& error) {
    console_.note(fmt::format("{} The looks of the window are not kept.", error.what()));
  }
}

}  // namespace tri::app::gui
