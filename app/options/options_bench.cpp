// Options of `bench`.

#include <fmt/format.h>

#include "app/bench/bench_plan.hpp"
#include "app/bench/presets.hpp"
#include "app/bench/tune_command.hpp"
#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri::app {
namespace {

constexpr u32 kMaxSamples = 100000;

void check_bench(const RunConfig& config) {
  if (config.common.json && config.given.count("--format")) {
    throw ConfigError("--json and --format exclude each other; --json is --format json.");
  }
  if (!config.bench.resume.empty()) {
    if (config.given.count("--output")) {
      throw ConfigError("--resume FILE is also where the report is written; leave -o out.");
    }
    if (config.given.count("--format") && config.bench.format != BenchFormat::json) {
      throw ConfigError("--resume continues a JSON report and writes one; leave --format out.");
    }
  }
  if (config.bench.dry_run) {
    for (const char* option : {"--output", "--format", "--json", "--resume", "--plot"}) {
      if (config.given.count(option)) {
        throw ConfigError(fmt::format("--dry-run runs nothing and reports nothing; leave {} out.", option));
      }
    }
  }
  if (config.bench.tune) return check_tune(config);
  bench_plan(config);  // refuses unknown maps, and options that no kernel reads
}

CompletionHint with_all(std::vector<std::string_view> names) {
  names.emplace_back("all");
  return hint_list(names);
}

CompletionHint fractals() {
  CompletionHint hint = hint_file();
  for (const Fractal& fractal : list_fractals()) hint.names.push_back(fractal.name);
  return hint;
}

}  // namespace

CommandSpec bench_spec(RunConfig& config) {
  BenchOptions& bench = config.bench;
  CommandSpec spec{Command::bench, "bench", {}, {}, [&config] { check_bench(config); }};
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read, CompletionHint hint = {}) {
    spec.options.push_back({names, false, std::move(read), std::move(hint)});
  };
  const auto add_flag = [&spec](const char* name, bool& flag) {
    spec.options.push_back({name, true, [&flag](const std::string&) { flag = true; }});
  };
  add(
      "--kernel", [&bench](const std::string& v) { bench.kernels = parse_kernels(v); }, with_all(kernel_names()));
  add("--n", [&bench](const std::string& v) { bench.sizes = parse_sizes("--n", v); });
  add("--features", [&bench](const std::string& v) {
    bench.features = parse_small_sizes("--features", v, 1, PointSet::kMaxFeatures);
  });
  add(
      "--form", [&bench](const std::string& v) { bench.forms = parse_forms(v); }, hint_list(form_names()));
  add(
      "--layout", [&bench](const std::string& v) { bench.layouts = parse_layouts(v); }, hint_list(layout_names()));
  add(
      "--dimensions", [&bench](const std::string& v) { bench.dimensions = parse_dimensions(v); },
      hint_list(dimension_names()));
  add(
      "--rec", [&bench](const std::string& v) { bench.rec = parse_rec(v); }, hint_names(rec_names()));
  add(
      "--placement", [&bench](const std::string& v) { bench.placements = parse_placements(v); },
      hint_list(placement_names()));
  add(
      "--fractal", [&bench](const std::string& v) { bench.fractal = v; }, fractals());
  add(
      "--timing", [&bench](const std::string& v) { bench.timing = parse_timing(v); }, hint_names(timing_names()));
  add("--warmup", [&bench](const std::string& v) { bench.warmup_ms = non_negative_number("--warmup", v); });
  add("--samples", [&bench](const std::string& v) {
    bench.samples = static_cast<u32>(whole_number("--samples", v, 1, kMaxSamples));
  });
  add(
      "--baseline", [&bench](const std::string& v) { bench.baseline = v; }, hint_names(map_names(all_kernels())));
  add_flag("--energy", bench.energy);
  add(
      "--preset", [&bench](const std::string& v) { bench.preset = preset_name(v); }, hint_names(preset_names()));
  spec.options.push_back(one_of("--format", {"table", "csv", "json"},
                                [&bench](std::size_t k) { bench.format = static_cast<BenchFormat>(k); }));
  add(
      "--resume", [&bench](const std::string& v) { bench.resume = v; }, hint_file());
  add_flag("--dry-run", bench.dry_run);
  add_flag("--tune", bench.tune);
  add(
      "-o,--output", [&bench](const std::string& v) { bench.output = v; }, hint_file());
  add(
      "--plot", [&bench](const std::string& v) { check_svg_name("--plot", v), bench.plot = v; }, hint_file());
  const u32 takes = kBackend | kWork | kPrecision | kAccumulate | kSeed | kThreads;
  for (auto& o : common_specs(config.common, takes)) {
    if (o.long_name() == "--map") o.hint = with_all(map_names(all_kernels()));
    spec.options.push_back(std::move(o));
  }
  return spec;
}

}  // namespace tri::app
