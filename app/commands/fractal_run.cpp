// `run` of an automaton: the options that apply to it, its steps, and what is said of them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/support/commands.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/file_roles.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/json_text.hpp"
#include "app/support/progress_line.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/fractal/life_rule_text.hpp"
#include "sim/io/format.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::app {
namespace {

constexpr std::array kTaken{"--steps",  "--seed",    "--output", "--map",   "--block",  "--backend",
                            "--device", "--threads", "--json",   "--quiet", "--verbose"};

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
  if (!config.run.output.empty() && !config.run.output.ends_with(".npy")) {
    throw ConfigError(fmt::format("--output {}: the cells of an automaton are written as .npy.", config.run.output));
  }
}

AutomatonSpec spec_of(const RunConfig& config) {
  std::string text = config.run.scene;
  if (config.common.seed) {
    text += fmt::format("{}seed={}", text.find(':') == text.npos ? ":" : ",", *config.common.seed);
  }
  AutomatonSpec spec = automaton_from(text);
  if (!config.common.maps.empty()) spec.work.map = gasket_map_from(config.common.maps.front());
  if (!config.common.blocks.empty()) spec.work.block = config.common.blocks.front();
  spec.work.threads = config.common.threads.value_or(0);
  return spec;
}

struct Summary {
  BackendInfo backend;
  u64 steps = 0, wanted = 0, on_before = 0, on = 0, hash = 0;
  double seconds = 0;
  double cells_per_s(u64 cells) const {
    return seconds > 0 ? static_cast<double>(steps) * static_cast<double>(cells) / seconds : 0;
  }
};

u64 count_on(const std::vector<u8>& cells) { return static_cast<u64>(std::count(cells.begin(), cells.end(), 1)); }

/// Steps in batches of about a tenth of a second, so that Ctrl-C takes effect. It ends a longer one on its way, which
/// is then not taken: a step writes a state of its own.
void step_all(Automaton& automaton, Summary& summary, Console& console) {
  u64 batch = 1;
  while (summary.steps < summary.wanted && !interrupt_flag().load()) {
    const u64 now = std::min(batch, summary.wanted - summary.steps);
    const Stopwatch watch;
    try {
      std::optional<ScopedTask> named;
      if (batch == 1) named.emplace(fmt::format("step {}", grouped(summary.steps + 1)));
      automaton.step(now);
    } catch (const InterruptedError&) {
      return;
    }
    const double seconds = watch.ms() / 1e3;
    summary.steps += now;
    summary.seconds += seconds;
    if (seconds < 0.05) batch *= 2;
    console.progress(fmt::format(
        "step {} of {}{}", grouped(summary.steps), grouped(summary.wanted),
        time_left(static_cast<double>(summary.steps), static_cast<double>(summary.wanted), summary.seconds)));
  }
}

std::string summary_text(const AutomatonSpec& spec, const Summary& s) {
  std::string text = fmt::format("{}, r = {}: {} cells in {} a side, rule {}\n", spec.fractal.title, spec.levels,
                                 grouped(spec.cells()), grouped(power_of(spec.fractal.shape.scale(), spec.levels)),
                                 to_string(spec.rule));
  text += fmt::format("storage     {}, {}\n", to_string(spec.storage), memory_text(spec));
  text += fmt::format("backend     {}, {}, {}\n", s.backend.name, s.backend.device, s.backend.detail);
  text += fmt::format("map         {}, block {}, placement {}\n", info(spec.work.map).name, spec.work.block,
                      to_string(spec.work.placement));
  text += fmt::format("steps       {} in {}, {} a step, {}cells/s\n", grouped(s.steps), duration_text(s.seconds * 1e3),
                      duration_text(s.steps > 0 ? s.seconds * 1e3 / static_cast<double>(s.steps) : 0),
                      with_prefix(s.cells_per_s(spec.cells())));
  text += fmt::format("cells on    {} at first, {} now\n", grouped(s.on_before), grouped(s.on));
  return text + fmt::format("state hash {}\n", hash_text(s.hash));
}

std::string summary_json(const AutomatonSpec& spec, const Summary& s) {
  const nlohmann::ordered_json j = {{"fractal", spec.fractal.name},
                                    {"levels", spec.levels},
                                    {"cells", spec.cells()},
                                    {"rule", to_string(spec.rule)},
                                    {"seed", spec.seed},
                                    {"density", spec.density},
                                    {"storage", to_string(spec.storage)},
                                    {"bytes", spec.bytes()},
                                    {"embedded_bytes", spec.embedded_bytes()},
                                    {"backend", s.backend.name},
                                    {"device", s.backend.device},
                                    {"map", info(spec.work.map).name},
                                    {"block", spec.work.block},
                                    {"placement", to_string(spec.work.placement)},
                                    {"steps", s.steps},
                                    {"seconds", s.seconds},
                                    {"cells_per_s", s.cells_per_s(spec.cells())},
                                    {"on_before", s.on_before},
                                    {"on", s.on},
                                    {"state_hash", hash_text(s.hash)}};
  return json_text(j);
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
  deadline.reset();
  step_all(*automaton, summary, console);
  if (config.run.output.empty()) {  // a summary of many cells takes long, and nothing else is lost
    deadline.emplace(
        cut_off(fmt::format("interrupted after step {} of {}; nothing was written.", summary.steps, summary.wanted)));
  }
  const std::vector<u8> cells = automaton->read();
  summary.on = count_on(cells);
  summary.hash = cells_hash(cells);
  const AutomatonSpec& spec = automaton->spec();
  if (!config.run.output.empty()) {
    const u32 k = spec.fractal.shape.replicas();
    const std::array<u64, 2> shape{packed_height(k, spec.levels), packed_width(k, spec.levels)};
    write_npy(config.run.output, std::span<const u8>(cells), shape);
    console.note(fmt::format("wrote {}", config.run.output));
  }
  console.print(config.common.json ? summary_json(spec, summary) : summary_text(spec, summary));
  if (summary.steps == summary.wanted) return static_cast<int>(ExitCode::ok);
  console.note(
      fmt::format("interrupted after step {} of {}; what was done is written.", summary.steps, summary.wanted));
  return static_cast<int>(ExitCode::interrupted);
}

}  // namespace tri::app
