// The command run: the scene or snapshot that it starts from, what must agree between both, and its end.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/run.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/json.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/io/format.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/simulation.hpp"

namespace tri::app {
namespace {

/// An option of a run that goes on: absent, or the same as before.
template <class Value, class Text>
void must_agree(const std::string& file, const char* option, const std::optional<Value>& given, const Value& before,
                const Text& text) {
  if (!given || *given == before) return;
  throw ConfigError(
      fmt::format("{} {} contradicts --restart {}, whose run has {}. Leave {} out, or begin a new run with "
                  "its bodies: triangulum run {}.",
                  option, text(*given), file, text(before), option, file));
}

}  // namespace

Snapshot snapshot_of(const RunConfig& config) {
  const RunOptions& run = config.run;
  Snapshot s = read_snapshot(run.restart);
  const auto same = [](const std::string& text) { return text; };
  const auto real = [](double v) { return fmt::format("{}", v); };
  const auto named = [](auto v) { return to_string(v); };
  const std::string& file = run.restart;
  if (!run.scene.empty()) must_agree(file, "SCENE", std::optional<std::string>(run.scene), s.run.scene, same);
  must_agree(file, "--seed", config.common.seed, s.scene.seed, [](u64 v) { return fmt::format("{}", v); });
  const auto automatic = [](bool v) { return std::string(v ? "auto" : "steps of a given length"); };
  const std::optional<bool> asked = run.dt || run.dt_auto ? std::optional(run.dt_auto) : std::nullopt;
  must_agree(file, "--dt", asked, s.scene.eta > 0, automatic);
  must_agree(file, "--dt", run.dt, s.scene.dt, real);
  must_agree(file, "--eta", run.eta, s.scene.eta, real);
  ForceField field = s.scene.field;
  set_parameters(field, run.parameters);  // refuses those of another law
  for (const GivenParameter& given : run.parameters) {
    const LawParameter& p = *parameter_of(given.option);
    const double before = p.real != nullptr ? p.value(s.scene.field) : p.is_set(s.scene.field);
    const auto text = [&](double value) { return tri::value_text({given.option, value}); };
    must_agree(file, p.option, std::optional(given.value), before, text);
  }
  if (!run.units.empty()) must_agree(file, "--units", std::optional<std::string>(run.units), s.scene.units, same);
  must_agree(file, "--integrator", run.integrator, s.scene.integrator, named);
  must_agree(file, "--precision", config.common.precision, s.engine.precision, named);
  const bool whole = s.run.last_time > 0 ? s.run.last_time <= s.time : s.run.last_step <= s.step;
  if (!run.steps && !run.until && whole) {
    throw ConfigError(
        fmt::format("the run of --restart {} is at its end, step {}; give --steps N or --until T to go "
                    "beyond it.",
                    file, s.step));
  }
  return s;
}

CommonOptions common_of(const RunConfig& config, const Snapshot& snapshot) {
  CommonOptions common = config.common;
  if (config.given.count("--backend") == 0 && common.device < 0 && !snapshot.run.backend.empty()) {
    common.backend = snapshot.run.backend;
  }
  return common;
}

EngineConfig engine_of(const CommonOptions& common, const Snapshot& snapshot, const std::string& backend,
                       std::string& note) {
  const EngineConfig& before = snapshot.engine;
  EngineConfig now = before;
  const bool elsewhere = backend != snapshot.run.backend;
  if (elsewhere) {  // has its own best choices
    const EngineConfig none;
    now.pair_block = none.pair_block, now.triple_block = none.triple_block, now.broad_phase = none.broad_phase;
    now.threads = none.threads, now.slice_ms = none.slice_ms;
  }
  // A tolerance alone chooses the search again; the other search has its own tiles.
  if (common.tolerance && !common.pairs && now.pairs == PairSearch::all) now.pairs = PairSearch::automatic;
  if (common.pairs.value_or(now.pairs) != before.pairs) now.pair_block = 0;
  apply_overrides(engine_overrides(common, domains_of(snapshot.scene.field)), now);

  EngineConfig compared = now;
  compared.slice_ms = before.slice_ms;  // does not change a bit
  const bool same = !elsewhere && compared == before;
  const bool ordered = now.accumulate == Accumulate::ordered && before.accumulate == Accumulate::ordered && !elsewhere;
  note = same || ordered ? ""
                         : fmt::format(
                               "the run goes on otherwise than it was computed up to step {}, so its last bits "
                               "may differ from those of an unbroken run.",
                               snapshot.step);
  return now;
}

// `run`: from the options to the summary.

namespace {

/// Fails before a long run, not at its end: the format holds the bodies.
void check_state(const std::string& path, const Bodies& bodies) {
  if (!path.empty()) check_storable(path, bodies);
}

void check_options(const RunConfig& config, Scene& scene) {
  const RunOptions& run = config.run;
  check_choices(config.common, scene.field);
  if (run.orbits && (scene.field.pair != PairLaw::gravity || !(scene.field.gravity.G > 0) || scene.bodies.size() < 2)) {
    throw ConfigError("--orbits needs gravity with G > 0 and at least two bodies.");
  }
  if (run.orbits && scene.field.gravity.softening > 0)
    scene.notes.push_back("--orbits: the elements are those of point masses and leave the softening out.");
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

/// Of the present state; nothing where no tree acts, or where it would take long.
std::optional<TreeError> error_of_tree(Simulation& simulation) {
  const u64 bodies = bodies_for_error(simulation.size());
  if (simulation.engine().config().pairs != PairSearch::tree || bodies == 0) return std::nullopt;
  const ForceResult forces = simulation.engine().forces(false);
  return tree_error(forces, simulation.bodies(), simulation.scene().field.gravity, bodies);
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
  RunSummary summary = loop.summary(backend);
  if (config.common.json && summary.ending == RunEnding::whole) summary.tree_error = error_of_tree(simulation);
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

// `run` of an automaton: the options that apply to it, its steps, and what is said of them.

namespace {

constexpr std::array kTaken{"--steps",   "--seed", "--output", "--map",     "--block", "--backend",   "--device",
                            "--threads", "--json", "--quiet",  "--verbose", "--diag",  "--diag-every"};
constexpr u64 kUsualMeasurements = 1000;

/// Rejects the options of `run` that have no meaning for cells.
void check_options(const RunConfig& config) {
  for (const std::string& option : config.given) {
    if (std::find(kTaken.begin(), kTaken.end(), option) != kTaken.end()) continue;
    throw ConfigError(fmt::format("{} does not apply to an automaton on {}; leave it out.", option, config.run.scene));
  }
  if (!config.run.steps) throw ConfigError("an automaton needs its length: --steps N.");
  if (config.common.maps.size() > 1 || config.common.blocks.size() > 1) {
    throw ConfigError("an automaton takes one --map and one --block.");
  }
  const std::string& output = config.run.output;
  if (!output.empty() && !output.ends_with(".npy") && !output.ends_with(".png")) {
    throw ConfigError(
        fmt::format("--output {}: the cells of an automaton are written as .npy, or as a picture, .png.", output));
  }
  if (config.run.diag == "-") throw ConfigError("--diag of spins is a file; name it.");
}

AutomatonSpec spec_of(const RunConfig& config) {
  std::string text = config.run.scene;
  if (config.common.seed) {
    text += fmt::format("{}seed={}", text.find(':') == text.npos ? ":" : ",", *config.common.seed);
  }
  AutomatonSpec spec = automaton_from(text);
  if (!config.common.maps.empty()) {
    const std::string& map = config.common.maps.front();
    spec.triangle != 0 ? void(spec.work.triangle_map = triangle_map_from(map))
                       : void(spec.work.map = gasket_map_from(map));
  }
  if (!config.common.blocks.empty()) spec.work.block = config.common.blocks.front();
  spec.work.threads = config.common.threads.value_or(0);
  if (!config.run.diag.empty() && !spec.temperature) {
    throw ConfigError(
        fmt::format("--diag writes energies of spins, and {} has no temperature; leave it out.", config.run.scene));
  }
  if (config.run.output.ends_with(".png")) picture_side(spec);  // before the steps, not after them
  return spec;
}

const char* map_name(const AutomatonSpec& spec) {
  return spec.triangle != 0 ? info(spec.work.triangle_map).name : info(spec.work.map).name;
}

struct Summary {
  BackendInfo backend;
  u64 steps = 0, wanted = 0, on_before = 0, on = 0, hash = 0;
  double seconds = 0;
  std::vector<double> energies, moments;  ///< of spins, per spin; the size of the moment
  double cells_per_s(u64 cells) const {
    return seconds > 0 ? static_cast<double>(steps) * static_cast<double>(cells) / seconds : 0;
  }
};

u64 count_on(const std::vector<u8>& cells) { return static_cast<u64>(std::count(cells.begin(), cells.end(), 1)); }

/// The energies of spins along a run, every few sweeps, and their file.
class SpinRecord {
 public:
  SpinRecord(const RunConfig& config, const Automaton& automaton, Summary& summary)
      : automaton_(automaton),
        summary_(summary),
        every_(config.run.diag_every.value_or(std::max<u64>(1, summary.wanted / kUsualMeasurements))) {
    if (!automaton.spec().temperature) return;
    if (!config.run.diag.empty()) file_.emplace(config.run.diag);
    if (file_) file_->write("step,energy,magnetisation\n");
    measure();
  }
  /// Steps to the next row.
  u64 left() const { return spins() ? every_ - summary_.steps % every_ : ~u64{0}; }
  void stepped() {
    if (spins() && summary_.steps % every_ == 0) measure();
  }
  void finish() {
    if (file_) file_->commit();
  }

 private:
  bool spins() const { return automaton_.spec().temperature.has_value(); }
  void measure() {
    const ScopedTask named(fmt::format("energies of step {}", grouped(summary_.steps)));
    const SpinSums sums = automaton_.spin_sums();
    const double cells = static_cast<double>(automaton_.spec().cells());
    summary_.energies.push_back(static_cast<double>(sums.energy()) / cells);
    summary_.moments.push_back(std::abs(static_cast<double>(sums.magnetisation)) / cells);
    if (file_) file_->write(fmt::format("{},{},{}\n", summary_.steps, sums.energy(), sums.magnetisation));
  }

  const Automaton& automaton_;
  Summary& summary_;
  u64 every_;
  std::optional<io::OutputFile> file_;
};

/// Steps in batches of about a tenth of a second, so that Ctrl-C takes effect. It ends a longer one on its way, which
/// is then not taken: a step writes a state of its own. Sums that it ends leave their row out.
void step_all(Automaton& automaton, Summary& summary, SpinRecord& record, Console& console) {
  u64 batch = 1;
  while (summary.steps < summary.wanted && !interrupt_flag().load()) {
    const u64 now = std::min({batch, summary.wanted - summary.steps, record.left()});
    const Stopwatch watch;
    try {
      std::optional<ScopedTask> named;
      if (batch == 1) named.emplace(fmt::format("step {}", grouped(summary.steps + 1)));
      automaton.step(now);
      summary.steps += now;
      summary.seconds += watch.ms() / 1e3;
      record.stepped();
    } catch (const InterruptedError&) {
      return;
    }
    if (watch.ms() < 50) batch = std::min(2 * batch, summary.wanted);  // few steps may lie between two rows
    console.progress(fmt::format(
        "step {} of {}{}", grouped(summary.steps), grouped(summary.wanted),
        time_left(static_cast<double>(summary.steps), static_cast<double>(summary.wanted), summary.seconds)));
  }
}

/// Its first two lines.
std::string head_text(const AutomatonSpec& spec) {
  if (spec.triangle != 0) {
    return fmt::format("triangle of {} cells a side: {} cells, rule {}\n", grouped(spec.triangle),
                       grouped(spec.cells()), to_string(spec.rule));
  }
  const std::string what = spec.temperature ? fmt::format("spins at temperature {}, neighbours {}", *spec.temperature,
                                                          to_string(spec.neighbours))
                                            : "rule " + to_string(spec.rule);
  return fmt::format("{}, r = {}: {} cells in {} a side, {}\nstorage     {}, {}\n", spec.fractal.title, spec.levels,
                     grouped(spec.cells()), grouped(power_of(spec.fractal.shape.scale(), spec.levels)), what,
                     to_string(spec.storage), memory_text(spec));
}

/// Of spins: now, and the mean of the second half.
std::string spin_text(const Summary& s) {
  const auto line = [](const char* name, const std::vector<double>& values) {
    const SpinMean half = second_half(values);
    const std::string error = std::isfinite(half.error) ? fmt::format(" +- {:.2g}", half.error) : "";
    return fmt::format("{}{:.6g} a spin at the end, {:.6g}{} over the second half\n", name, values.back(), half.mean,
                       error);
  };
  return line("energy      ", s.energies) + line("|moment|    ", s.moments);
}

std::string summary_text(const AutomatonSpec& spec, const Summary& s) {
  std::string text = head_text(spec);
  text += fmt::format("backend     {}, {}, {}\n", s.backend.name, s.backend.device, s.backend.detail);
  text += fmt::format("map         {}, block {}", map_name(spec), spec.work.block);
  text += spec.triangle != 0 ? "\n" : fmt::format(", placement {}\n", to_string(spec.work.placement));
  text += fmt::format("steps       {} in {}, {} a step, {}cells/s\n", grouped(s.steps), duration_text(s.seconds * 1e3),
                      duration_text(s.steps > 0 ? s.seconds * 1e3 / static_cast<double>(s.steps) : 0),
                      with_prefix(s.cells_per_s(spec.cells())));
  text += fmt::format("cells on    {} at first, {} now\n", grouped(s.on_before), grouped(s.on));
  if (spec.temperature) text += spin_text(s);
  return text + fmt::format("state hash {}\n", hash_text(s.hash));
}

std::string summary_json(const AutomatonSpec& spec, const Summary& s) {
  const auto in_triangle = [&](const nlohmann::ordered_json& of_fractal) {
    return spec.triangle != 0 ? nlohmann::ordered_json() : of_fractal;
  };
  nlohmann::ordered_json j = {{"fractal", in_triangle(spec.fractal.name)},
                              {"levels", in_triangle(spec.levels)},
                              {"cells", spec.cells()},
                              {"rule", to_string(spec.rule)},
                              {"seed", spec.seed},
                              {"density", spec.density},
                              {"storage", in_triangle(to_string(spec.storage))},
                              {"bytes", spec.bytes()},
                              {"embedded_bytes", spec.embedded_bytes()},
                              {"backend", s.backend.name},
                              {"device", s.backend.device},
                              {"map", map_name(spec)},
                              {"block", spec.work.block},
                              {"placement", in_triangle(to_string(spec.work.placement))},
                              {"steps", s.steps},
                              {"seconds", s.seconds},
                              {"cells_per_s", s.cells_per_s(spec.cells())},
                              {"on_before", s.on_before},
                              {"on", s.on},
                              {"state_hash", hash_text(s.hash)}};
  if (spec.triangle != 0) j["side"] = spec.triangle;
  if (!spec.temperature) return json_text(j);
  const SpinMean energy = second_half(s.energies), moment = second_half(s.moments);
  j["rule"] = nullptr;
  j["temperature"] = *spec.temperature, j["neighbours"] = to_string(spec.neighbours);
  j["energy"] = s.energies.back(), j["energy_mean"] = energy.mean, j["energy_error"] = energy.error;
  j["moment"] = s.moments.back(), j["moment_mean"] = moment.mean, j["moment_error"] = moment.error;
  return json_text(j);
}

}  // namespace

namespace {

void write_cells(const std::string& path, const AutomatonSpec& spec, const std::vector<u8>& cells) {
  if (path.ends_with(".png")) {
    io::OutputFile file(path);
    file.write(cells_png(spec, cells));
    file.commit();
  } else if (spec.triangle != 0) {
    const u64 n = spec.triangle;
    std::vector<u8> square(n * n);
    for (u64 i = 0; i < n; ++i) std::copy_n(&cells[triangular(i)], i + 1, &square[i * n]);
    write_npy(path, std::span<const u8>(square), std::array{n, n});
  } else {
    const u32 k = spec.fractal.shape.replicas();
    write_npy(path, std::span<const u8>(cells),
              std::array{packed_height(k, spec.levels), packed_width(k, spec.levels)});
  }
}

}  // namespace

int run_fractal(const RunConfig& config, Console& console) {
  check_options(config);
  const AutomatonSpec asked = spec_of(config);
  check_files_read(config);
  const auto cut_off = [&](const std::string& sentence) {
    return [&, sentence] { say_interrupted(console, config.common.json, sentence); };
  };
  std::optional<InterruptDeadline> deadline(std::in_place, cut_off(kNothingWritten));
  const auto backend = open_backend(config.common, &console);
  const auto automaton = backend->make_automaton(asked);
  Summary summary;
  summary.backend = backend->info();
  summary.wanted = *config.run.steps;
  summary.on_before = count_on(automaton->read());
  SpinRecord record(config, *automaton, summary);
  deadline.reset();
  step_all(*automaton, summary, record, console);
  record.finish();
  if (config.run.output.empty()) {  // a summary of many cells takes long, and nothing else is lost
    deadline.emplace(
        cut_off(fmt::format("interrupted after step {} of {}; nothing was written.", summary.steps, summary.wanted)));
  }
  const std::vector<u8> cells = automaton->read();
  summary.on = count_on(cells);
  summary.hash = cells_hash(cells);
  const AutomatonSpec& spec = automaton->spec();
  if (!config.run.output.empty()) {
    write_cells(config.run.output, spec, cells);
    console.note(fmt::format("wrote {}", config.run.output));
  }
  console.print(config.common.json ? summary_json(spec, summary) : summary_text(spec, summary));
  if (summary.steps == summary.wanted) return static_cast<int>(ExitCode::ok);
  console.note(
      fmt::format("interrupted after step {} of {}; what was done is written.", summary.steps, summary.wanted));
  return static_cast<int>(ExitCode::interrupted);
}

}  // namespace tri::app
