// Options of `run`.

#include <fmt/format.h>

#include "app/options/option_specs.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/model/integrator_names.hpp"

namespace tri::app {
namespace {

constexpr u64 kMaxSteps = u64{1} << 53;

/// K, dt=T or wall=TIME.
SaveEvery save_every(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string kind = text.substr(0, equals);
  SaveEvery every;
  if (equals == std::string::npos) {
    every.by = SaveEvery::By::steps;
    every.steps = whole_number("--save-every", text, 1, kMaxSteps);
    return every;
  }
  const std::string amount = text.substr(equals + 1);
  if (kind == "dt") {
    every.by = SaveEvery::By::time;
    every.amount = positive_number("--save-every dt=", amount);
  } else if (kind == "wall") {
    every.by = SaveEvery::By::wall;
    every.amount = duration("--save-every wall=", amount);
  } else {
    throw ConfigError(fmt::format(
        "--save-every takes K steps, dt=T of simulated time, or wall=TIME as in wall=10m; got '{}'.", text));
  }
  return every;
}

void check_state_file(const char* option, const std::string& path) {
  if (path.empty() || has_known_extension(path)) return;
  throw ConfigError(fmt::format(
      "{} {}: the extension names the format; take .hdf5, .csv, .vtp or another of triangulum list formats.", option,
      path));
}

void check_snapshots(const RunOptions& run) {
  const bool saves = run.save_every.by != SaveEvery::By::never;
  if (saves && run.snapshot.empty()) {
    throw ConfigError("--save-every needs --snapshot PATTERN, as in --snapshot state_{step}.hdf5.");
  }
  if (!run.snapshot.empty() && !saves && !run.walltime) {
    throw ConfigError("--snapshot needs --save-every, which says when (or --walltime, to write the last state).");
  }
  if (!run.snapshot.empty() && run.snapshot.find("{step}") == std::string::npos) {
    throw ConfigError(
        fmt::format("--snapshot {}: the name needs {{step}} where the number of the step goes, as in "
                    "state_{{step}}.hdf5.",
                    run.snapshot));
  }
  if (run.walltime && run.snapshot.empty() && run.output.empty()) {
    throw ConfigError("--walltime needs --snapshot PATTERN or -o FILE, where the state goes when the time is over.");
  }
  check_state_file("--snapshot", run.snapshot);
  check_state_file("--output", run.output);
}

void check_run(const RunConfig& config) {
  const RunOptions& run = config.run;
  if (run.scene.empty() && run.restart.empty()) {
    throw ConfigError("run needs SCENE|FILE, or --restart FILE. See triangulum run --help.");
  }
  if (has_known_extension(run.restart) && format_name(run.restart) != "hdf5") {
    throw ConfigError(
        fmt::format("--restart {0}: a run goes on from a snapshot in .hdf5 alone. Begin a new one with its bodies: "
                    "triangulum run {0}.",
                    run.restart));
  }
  if (run.steps && run.until) throw ConfigError("--steps and --until exclude each other.");
  if (!run.steps && !run.until && run.restart.empty()) {
    throw ConfigError("run needs its length: --steps N or --until T.");
  }
  if (run.diag_every && run.diag.empty()) throw ConfigError("--diag-every needs --diag FILE.csv to write to.");
  check_snapshots(run);
  check_work(config.common);
}

}  // namespace

CommandSpec run_spec(RunConfig& config) {
  RunOptions& run = config.run;
  CommandSpec spec{Command::run, "run", {}, {}, [&config] { check_run(config); }};
  spec.positionals.push_back(
      {"SCENE|FILE", false, [&run](const std::string& v) { run.scene = v; }, false, hint_scenes(true)});
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read, CompletionHint hint = {}) {
    spec.options.push_back({names, false, std::move(read), std::move(hint)});
  };
  add("--steps", [&run](const std::string& v) { run.steps = whole_number("--steps", v, 0, kMaxSteps); });
  add("--until", [&run](const std::string& v) { run.until = non_negative_number("--until", v); });
  add("--dt", [&run](const std::string& v) { run.dt = positive_number("--dt", v); });
  add(
      "--integrator", [&run](const std::string& v) { run.integrator = integrator_from(v); },
      hint_names(integrator_names()));
  add("--eps", [&run](const std::string& v) { run.softening = non_negative_number("--eps", v); });
  add("--G", [&run](const std::string& v) { run.G = finite_number("--G", v); });
  add(
      "--diag", [&run](const std::string& v) { run.diag = v; }, hint_file());
  add("--diag-every", [&run](const std::string& v) { run.diag_every = whole_number("--diag-every", v, 1, kMaxSteps); });
  add(
      "--save-every", [&run](const std::string& v) { run.save_every = save_every(v); }, hint_names({"dt=", "wall="}));
  add(
      "--snapshot", [&run](const std::string& v) { run.snapshot = v; }, hint_file());
  add(
      "--restart", [&run](const std::string& v) { run.restart = v; }, hint_file());
  add("--walltime", [&run](const std::string& v) { run.walltime = duration("--walltime", v); });
  add(
      "-o,--output", [&run](const std::string& v) { run.output = v; }, hint_file());
  spec.options.push_back({"--orbits", true, [&run](const std::string&) { run.orbits = true; }});
  const u32 takes = kBackend | kWork | kPrecision | kAccumulate | kSeed | kThreads | kBroadPhase | kSlices | kCells;
  for (auto& o : common_specs(config.common, takes)) spec.options.push_back(std::move(o));
  return spec;
}

}  // namespace tri::app
