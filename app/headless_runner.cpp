#include "app/headless_runner.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/engine_choice.hpp"
#include "app/interrupt.hpp"
#include "app/run_summary.hpp"
#include "sim/contact_step.hpp"
#include "sim/diagnostics_log.hpp"
#include "sim/error.hpp"
#include "sim/io/format.hpp"
#include "sim/simulation.hpp"

namespace tri::app {
namespace {

constexpr u64 kUsualRows = 1000;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool is_named_scene(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  return std::ranges::any_of(list_scenes(), [&](const SceneInfo& s) { return name == s.name; });
}

/// A run of hours must not find out at its end that its folder is not there.
void check_folder(const char* option, const std::string& path) {
  if (path.empty()) return;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    throw FileError(fmt::format("{} {}: nothing can be written in folder '{}'. Name a folder that exists and is yours.",
                                option, path, folder.empty() ? "." : folder));
  }
}

void check_options(const RunConfig& config, const Scene& scene) {
  const RunOptions& run = config.run;
  const bool file = !is_named_scene(run.scene);
  if (file && config.common.seed) {
    throw ConfigError(fmt::format("--seed makes the bodies of a named scene; those of {} are in the file.", run.scene));
  }
  if (run.orbits && (scene.field.pair != PairLaw::gravity || !(scene.field.gravity.G > 0) || scene.bodies.size() < 2)) {
    throw ConfigError("--orbits needs gravity with G > 0 and at least two bodies.");
  }
  check_folder("--diag", run.diag);
  check_folder("--snapshot", run.snapshot);
  check_folder("--output", run.output);
}

/// The loop of a run: steps up to the next thing to do, and that thing.
class Runner {
 public:
  Runner(const RunConfig& config, Simulation& simulation, Console& console)
      : options_(config.run), simulation_(simulation), console_(console) {
    last_step_ = options_.steps ? *options_.steps : simulation.steps_until(*options_.until);
    diag_every_ = options_.diag_every.value_or(std::max<u64>(1, last_step_ / kUsualRows));
    if (!options_.diag.empty()) log_.emplace(options_.diag);
  }

  void run() {
    take_row(simulation_.initial());
    while (simulation_.step_count() < last_step_ && !simulation_.stop_requested()) {
      const double begin = now_s();
      const u64 done = simulation_.advance(steps_to_next());
      seconds_ += now_s() - begin;
      if (done > 0) look_around(simulation_.step_count());
    }
    if (simulation_.step_count() > 0 && last_.step != simulation_.step_count()) take_row(simulation_.diagnostics());
    if (!options_.output.empty()) {
      simulation_.save(options_.output);
      console_.detail(fmt::format("wrote {}", options_.output));
    }
  }

  RunSummary summary(const Backend& backend) const {
    RunSummary s;
    s.scene = simulation_.scene();
    s.n = simulation_.size();
    s.backend = backend.info();
    s.engine = simulation_.engine().config();
    s.steps = simulation_.step_count(), s.steps_wanted = last_step_;
    s.time = simulation_.time(), s.seconds = seconds_;
    s.interrupted = s.steps < s.steps_wanted;
    s.first = simulation_.initial(), s.last = last_;
    s.energy_error_max = energy_error_max_, s.rows = rows_;
    s.has_orbits = options_.orbits;
    if (s.has_orbits) s.orbits = osculating_orbits(simulation_.bodies(), s.scene.field.gravity.G);
    s.hash = simulation_.state_hash();
    return s;
  }

 private:
  /// Steps to the nearest of: row, snapshot, end; few enough to look at the clock (for progress) some times a second.
  u64 steps_to_next() {
    const u64 step = simulation_.step_count();
    u64 next = last_step_ - step;
    if (log_) next = std::min(next, diag_every_ - step % diag_every_);
    if (options_.save_every > 0) next = std::min(next, options_.save_every - step % options_.save_every);
    const double rate = seconds_ > 0 ? static_cast<double>(step) / seconds_ : 0;
    return std::min(next, std::max<u64>(1, static_cast<u64>(0.1 * rate)));
  }

  void look_around(u64 step) {
    if (log_ && step % diag_every_ == 0) take_row(simulation_.diagnostics());
    if (options_.save_every > 0 && step % options_.save_every == 0) {
      simulation_.save(snapshot_name(options_.snapshot, step, last_step_));
    }
    console_.progress(fmt::format("step {} of {}, {:.0f} steps/s", step, last_step_,
                                  seconds_ > 0 ? static_cast<double>(step) / seconds_ : 0.0));
  }

  void take_row(const DiagnosticsRow& row) {
    if (log_) log_->write(row);
    last_ = row;
    energy_error_max_ = std::max(energy_error_max_, std::abs(row.energy_error));
    ++rows_;
  }

  const RunOptions& options_;
  Simulation& simulation_;
  Console& console_;
  std::optional<DiagnosticsLog> log_;
  u64 last_step_ = 0, diag_every_ = 1, rows_ = 0;
  double seconds_ = 0, energy_error_max_ = 0;
  DiagnosticsRow last_;
};

}  // namespace

Scene scene_of(const RunConfig& config) {
  const RunOptions& run = config.run;
  const bool named = is_named_scene(run.scene);
  Scene scene;
  if (named) {
    std::string spec = run.scene;
    const auto add = [&spec](const std::string& key) { spec += (spec.find(':') == spec.npos ? ":" : ",") + key; };
    if (config.common.seed) add(fmt::format("seed={}", *config.common.seed));
    if (run.dt) add(fmt::format("dt={:.17g}", *run.dt));
    if (run.softening) add(fmt::format("eps={:.17g}", *run.softening));
    if (run.G) add(fmt::format("G={:.17g}", *run.G));
    scene = make_scene(spec);
  } else {
    scene = open_scene(run.scene);
    if (run.dt) scene.dt = *run.dt;
    if (run.softening) scene.field.gravity.softening = *run.softening;
    if (run.G) scene.field.gravity.G = *run.G;
  }
  if (run.integrator) scene.integrator = *run.integrator;
  return scene;
}

std::string snapshot_name(const std::string& pattern, u64 step, u64 last_step) {
  const std::size_t digits = fmt::formatted_size("{}", last_step);
  std::string name = pattern;
  const std::string number = fmt::format("{:0{}}", step, digits);
  for (std::size_t at = 0; (at = name.find("{step}", at)) != std::string::npos; at += number.size()) {
    name.replace(at, 6, number);
  }
  return name;
}

int run_headless(const RunConfig& config, Console& console) {
  Scene scene = scene_of(config);
  check_options(config, scene);
  const EngineConfig engine = engine_config(config.common, domains_of(scene.field), Precision::fp32);
  if (const std::string warning = contact_step_warning(scene.bodies, scene.field, scene.dt); !warning.empty()) {
    console.note(warning);
  }
  const auto backend = open_backend(config.common, need_of(scene.field), &console);
  Simulation simulation(std::move(scene), *backend, engine);
  simulation.set_stop_flag(&interrupt_flag());

  Runner runner(config, simulation, console);
  runner.run();
  const RunSummary summary = runner.summary(*backend);
  console.print(config.common.json ? summary_json(summary) : summary_text(summary));
  if (!summary.interrupted) return static_cast<int>(ExitCode::ok);
  console.note(
      fmt::format("interrupted after step {} of {}; what was done is written.", summary.steps, summary.steps_wanted));
  return static_cast<int>(ExitCode::interrupted);
}

}  // namespace tri::app
