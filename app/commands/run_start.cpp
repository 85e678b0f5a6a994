#include "app/commands/run_start.hpp"

#include <fmt/format.h>

#include "app/support/engine_choice.hpp"
#include "app/support/scene_spec.hpp"
#include "sim/base/error.hpp"

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

Scene scene_of(const RunConfig& config) {
  const RunOptions& run = config.run;
  Scene scene;
  const SceneLaws laws{run.law, run.triple_law, false, parameters_beside(run.scene, run)};
  if (takes_keys(run.scene)) {
    std::string spec = with_options(run.scene, config);
    const auto add = [&spec](const std::string& key) { spec += (split_spec(spec).second.empty() ? ":" : ",") + key; };
    if (run.dt) add(fmt::format("dt={:.17g}", *run.dt));
    if (run.dt_auto) add("dt=auto");
    if (run.eta) add(fmt::format("eta={:.17g}", *run.eta));
    if (run.integrator) add(fmt::format("integrator={}", to_string(*run.integrator)));
    scene = make_scene(spec, laws);
  } else {
    scene = open_scene(run.units.empty() ? run.scene : with_units(run.scene, run.units), laws);
    if (config.common.seed) {
      throw ConfigError(
          fmt::format("--seed makes the bodies of a named scene; those of {} are in the file.", run.scene));
    }
    if (run.dt) scene.dt = *run.dt;
    if (run.integrator) scene.integrator = *run.integrator;
    if (run.dt_auto || run.eta) scene.eta = run.eta.value_or(usual_eta(scene.integrator));
  }
  return scene;
}

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
    const auto text = [&](double value) { return value_text({given.option, value}); };
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

}  // namespace tri::app
