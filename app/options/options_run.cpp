// Options of `run`.

#include <fmt/format.h>

#include "app/options/option_specs.hpp"
#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/model/integrator_names.hpp"

namespace tri::app {
namespace {

constexpr u64 kMaxRunSteps = u64{1} << 53;

/// K, dt=T or wall=TIME.
SaveEvery save_every(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string kind = text.substr(0, equals);
  SaveEvery every;
  if (equals == std::string::npos) {
    every.by = SaveEvery::By::steps;
    every.steps = whole_number("--save-every", text, 1, kMaxRunSteps);
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
  if (run.diag == "-" && run.output == "-") {
    throw ConfigError("--diag - and -o - would mix two files on standard output; name a file for one of them.");
  }
  if (run.diag == "-" && !run.restart.empty()) {
    throw ConfigError("--diag - begins a new table, and --restart continues one; name its file.");
  }
  if (run.diag_every && run.diag.empty()) throw ConfigError("--diag-every needs --diag FILE.csv to write to.");
  if (!run.restart.empty() && !(run.law.empty() && run.triple_law.empty())) {
    throw ConfigError(fmt::format("--restart {} goes on with the laws of its run; leave out {}.", run.restart,
                                  run.law.empty() ? "--triple-law" : "--law"));
  }
  check_steps(run);
  check_snapshots(run);
  check_work(config.common);
}

}  // namespace

void add_steps(CommandSpec& spec, RunOptions& run) {
  const auto dt = [&run](const std::string& v) {
    run.dt_auto = v == "auto";
    run.dt.reset();
    if (run.dt_auto) return;
    try {
      run.dt = positive_number("--dt", v);
    } catch (const ConfigError&) {
      throw ConfigError(fmt::format("--dt takes a number greater than 0, or auto; got '{}'.", v));
    }
  };
  spec.add("--dt", dt);
  spec.value("--eta", run.eta, positive_number);
  spec.add("--integrator", [&run](const std::string& v) { run.integrator = integrator_from(v); }).hint =
      hint_names(integrator_names());
}

void check_steps(const RunOptions& run) {
  if (run.eta && run.dt) {
    throw ConfigError("--eta is the accuracy of automatic steps, and --dt gives their length; leave one of them out.");
  }
}

CommandSpec run_spec(RunConfig& config) {
  RunOptions& run = config.run;
  CommandSpec spec{Command::run, "run", {}, {}, [&config] { check_run(config); }};
  spec.positionals.push_back({"SCENE|FILE", false, text_into(run.scene), false, hint_scenes(true)});
  spec.value("--steps", run.steps, whole_number, 0, kMaxRunSteps);
  spec.value("--until", run.until, non_negative_number);
  add_steps(spec, run);
  add_laws(spec, run.law, run.triple_law);
  add_law_parameters(spec, run.parameters);
  spec.units(run.units);
  spec.add("--diag", text_into(run.diag)).hint = hint_file();
  spec.value("--diag-every", run.diag_every, whole_number, 1, kMaxRunSteps);
  spec.value("--energy-limit", run.energy_limit, positive_number);
  spec.add("--save-every", [&run](const std::string& v) { run.save_every = save_every(v); }).hint =
      hint_names({"dt=", "wall="});
  spec.add("--snapshot", text_into(run.snapshot)).hint = hint_file();
  spec.add("--restart", text_into(run.restart)).hint = hint_file();
  spec.value("--walltime", run.walltime, duration);
  spec.add("-o,--output", text_into(run.output)).hint = hint_file();
  spec.flag("--orbits", run.orbits);
  spec.append(common_specs(config.common, kOfScenes | kDevices));
  return spec;
}

}  // namespace tri::app
