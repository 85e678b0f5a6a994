// `run`: from the options to the summary.

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "app/commands/run_loop.hpp"
#include "app/commands/run_start.hpp"
#include "app/support/commands.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/file_roles.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/progress_line.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/clock.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/io/format.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/snapshot.hpp"

namespace tri::app {
namespace {

/// Fails before a long run, not at its end: the format holds the bodies.
void check_state(const std::string& path, const Bodies& bodies) {
  if (!path.empty()) check_storable(path, bodies);
}

void check_options(const RunConfig& config, const Scene& scene) {
  const RunOptions& run = config.run;
  check_choices(config.common, scene.field);
  if (run.orbits && (scene.field.pair != PairLaw::gravity || !(scene.field.gravity.G > 0) || scene.bodies.size() < 2)) {
    throw ConfigError("--orbits needs gravity with G > 0 and at least two bodies.");
  }
  check_state(run.snapshot, scene.bodies);
  check_state(run.output, scene.bodies);
}

/// Prints the notes of the scene, its time step, its scheme and its outputs.
void print_notes(const RunConfig& config, const Scene& scene, Console& console) {
  if (const std::string idle = idle_integrator(config.run, scene.field); !idle.empty()) console.note(idle);
  for (const std::string& note : scene.notes) console.note(note);
  for (const std::string& path : {config.run.snapshot, config.run.output}) {
    if (path.empty()) continue;
    for (const std::string& lost : lost_in(path, scene.bodies, scene)) console.note("warning: " + lost);
  }
  if (const std::string warning = contact_step_warning(scene.bodies, scene.field, scene.dt); !warning.empty()) {
    console.note(warning);
  }
}

/// What to say where Ctrl-C ends the program before the first step, wherever that is: there is nothing to save yet.
std::function<void()> nothing_to_save(const RunConfig& config, Console& console) {
  return [&] { say_interrupted(console, config.common.json, kNothingWritten); };
}

/// The scene; placing many spheres takes a while. Throws InterruptedError.
Scene made(const RunConfig& config, Console& console) {
  ProgressLine line(console, interrupt_flag(), true);  // there is nothing to save yet
  const ScopedProgressSink watching(line);
  return scene_of(config);
}

/// A simulation with the forces and energies of its first state, which take a while for many bodies. Throws
/// InterruptedError.
template <class From>
Simulation begun(u64 n, From from, Backend& backend, const EngineConfig& engine, Console& console) {
  ProgressLine line(console, interrupt_flag(), true);  // there is nothing to save yet
  const ScopedProgressSink watching(line);
  const ScopedTask work(fmt::format("first forces and energies of {} bodies", grouped(n)));
  const Stopwatch watch;
  Simulation simulation(std::move(from), backend, engine);
  console.detail(fmt::format("engine and first energies: {:.3g} s", watch.ms() / 1e3));
  return simulation;
}

int finish(const RunConfig& config, Console& console, Backend& backend, Simulation& simulation, RunRecord record,
           double begin_s, const std::string& precision_note) {
  simulation.set_stop_flag(&interrupt_flag());
  record.backend = backend.info().name;
  const std::string idle =
      check_effect(config.common, simulation.scene().field, simulation.engine().config(), record.backend);
  if (!idle.empty()) console.note(idle);
  RunLoop loop(config.run, simulation, console, std::move(record), begin_s);
  if (!precision_note.empty()) loop.note_motion(precision_note);
  loop.run();
  const RunSummary summary = loop.summary(backend);
  console.print(config.common.json ? summary_json(summary) : summary_text(summary));
  if (summary.ending == RunEnding::whole) return static_cast<int>(ExitCode::ok);
  const bool interrupted = summary.ending == RunEnding::interrupted;
  const std::string on =
      loop.last_snapshot().empty() ? "" : fmt::format(" Go on with --restart {}.", loop.last_snapshot());
  const std::string where = summary.time_wanted > 0
                                ? fmt::format("at t = {:.9g} of {:.9g}", summary.time, summary.time_wanted)
                                : fmt::format("after step {} of {}", summary.steps, summary.steps_wanted);
  console.note(
      fmt::format("{} {}; what was done is written.{}", interrupted ? "interrupted" : "--walltime is over", where, on));
  return static_cast<int>(interrupted ? ExitCode::interrupted : ExitCode::ok);
}

int run_scene(const RunConfig& config, Console& console, double begin_s) {
  std::optional<InterruptDeadline> deadline(std::in_place, nothing_to_save(config, console));
  Scene scene = made(config, console);
  console.detail(fmt::format("scene: {:.3g} s", clock_s() - begin_s));
  check_options(config, scene);
  check_files_read(config);
  const auto config_with = [&](bool triples_in_fp64) {
    return engine_config(config.common, domains_of(scene.field), usual_precision(scene, triples_in_fp64));
  };
  config_with(false);  // refuses before the backend is opened
  print_notes(config, scene, console);
  const auto backend = open_backend(config.common, &console);
  const bool triples_in_fp64 = backend->info().triples_in_fp64;
  const EngineConfig engine = config_with(triples_in_fp64);
  const bool asked = config.common.precision.has_value();
  const std::string note = precision_note(scene, triples_in_fp64, engine.precision, asked);
  const u64 n = scene.bodies.size();
  Simulation simulation = begun(n, std::move(scene), *backend, engine, console);
  deadline.reset();
  RunRecord record;
  record.scene = config.run.scene;
  return finish(config, console, *backend, simulation, std::move(record), begin_s, note);
}

int run_restart(const RunConfig& config, Console& console, double begin_s) {
  std::optional<InterruptDeadline> deadline(std::in_place, nothing_to_save(config, console));
  Snapshot from = snapshot_of(config);
  check_options(config, from.scene);
  check_files_read(config, from.step);
  const CommonOptions common = common_of(config, from);
  const auto backend = open_backend(common, &console);
  std::string note;
  const EngineConfig engine = engine_of(common, from, backend->info().name, note);
  print_notes(config, from.scene, console);
  if (!note.empty()) console.note(note);
  RunRecord record = from.run;
  const std::string loss = precision_note(from.scene, false, engine.precision, true);
  const u64 n = from.scene.bodies.size();
  Simulation simulation = begun(n, std::move(from), *backend, engine, console);
  deadline.reset();
  return finish(config, console, *backend, simulation, std::move(record), begin_s, loss);
}

}  // namespace

int run_simulation(const RunConfig& config, Console& console) {
  if (names_automaton(config.run.scene)) {
    if (!config.common.devices.empty()) {
      throw ConfigError("an automaton runs on one device. Choose it by --device N, and leave --devices out.");
    }
    return run_fractal(config, console);
  }
  const double begin_s = clock_s();
  return config.run.restart.empty() ? run_scene(config, console, begin_s) : run_restart(config, console, begin_s);
}

}  // namespace tri::app
