// Options of `bench`.

#include <fmt/format.h>

#include "app/bench/bench_plan.hpp"
#include "app/bench/presets.hpp"
#include "app/bench/tune_plan.hpp"
#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri::app {
namespace {

constexpr u32 kMaxSamples = 100000;

void check_bench(const RunConfig& config) {
  if (config.common.json && config.given.count("--format")) {
    throw ConfigError("--json and --format exclude each other; --json is --format json.");
  }
  if (config.bench.resume == "-") throw ConfigError("--resume reads and writes one file, and - is none; name it.");
  if (!config.bench.resume.empty()) {
    if (config.given.count("--output")) {
      throw ConfigError("--resume FILE is also where the report is written; leave -o out.");
    }
    if (config.given.count("--format") && config.bench.format != BenchFormat::json) {
      throw ConfigError("--resume continues a JSON report and writes one; leave --format out.");
    }
  }
  if (config.bench.dry_run) {
    for (const char* option : {"--output", "--format", "--json", "--resume", "--plot", "--compare"}) {
      if (config.given.count(option)) {
        throw ConfigError(fmt::format("--dry-run runs nothing and reports nothing; leave {} out.", option));
      }
    }
  }
  if (config.given.count("--threshold") && config.bench.compare.empty()) {
    throw ConfigError("--threshold is read by --compare; name an old report with that, or leave it out.");
  }
  if (config.bench.threshold < 1) {
    throw ConfigError(fmt::format("--threshold {} is below 1; 1.05 allows 5 % more time.", config.bench.threshold));
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
  const auto add_list = [&spec](const char* name, const auto& table, auto& to) {
    spec.add(name, [=, &to](const std::string& v) { to = parse_list(name, v, table); }).hint = hint_list(table.list());
  };
  const std::vector<std::string_view> maps = map_names(parse_kernels("all"));
  spec.add("--kernel", [&bench](const std::string& v) { bench.kernels = parse_kernels(v); }).hint =
      with_all(kernel_names());
  spec.value("--n", bench.sizes, parse_sizes);
  spec.value("--features", bench.features, parse_small_sizes, 1, PointSet::kMaxFeatures);
  add_list("--form", kForms, bench.forms);
  add_list("--layout", kLayouts, bench.layouts);
  spec.add("--dimensions", [&bench](const std::string& v) { bench.dimensions = parse_dimensions(v); }).hint =
      hint_list({"1", "3"});
  spec.one_of<RecForm>("--rec", kRecForms.list(), bench.rec);
  add_list("--placement", kPlacements, bench.placements);
  add_list("--arithmetic", kBenchArithmetics, bench.arithmetics);
  spec.add("--fractal", text_into(bench.fractal)).hint = fractals();
  add_typed_laws(spec, bench.law, bench.triple_law);
  spec.one_of<LaunchTiming>("--timing", kTimings.list(), bench.timing);
  spec.value("--warmup", bench.warmup_ms, non_negative_number);
  spec.value("--samples", bench.samples, whole_number, 1, kMaxSamples);
  spec.add("--baseline", text_into(bench.baseline)).hint = hint_names(maps);
  spec.flag("--energy", bench.energy);
  spec.one_of("--preset", preset_names(), bench.preset);
  spec.one_of<BenchFormat>("--format", {"table", "csv", "json"}, bench.format);
  spec.add("--resume", text_into(bench.resume)).hint = hint_file();
  spec.flag("--dry-run", bench.dry_run);
  spec.flag("--tune", bench.tune);
  spec.add("--compare", text_into(bench.compare)).hint = hint_file();
  spec.value("--threshold", bench.threshold, positive_number);
  spec.add("-o,--output", text_into(bench.output)).hint = hint_file();
  spec.add("--plot", [&bench](const std::string& v) { check_svg_name("--plot", v), bench.plot = v; }).hint =
      hint_file();
  spec.append(common_specs(config.common,
                           kBackend | kDevices | kWork | kPrecision | kAccumulate | kTolerance | kSeed | kThreads));
  for (OptionSpec& option : spec.options) {
    if (option.names == "--map") option.hint = with_all(maps);
  }
  return spec;
}

}  // namespace tri::app
