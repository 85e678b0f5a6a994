// Options of `bench`.

#include <fmt/format.h>

#include "app/bench/axes.hpp"
#include "app/bench/presets.hpp"
#include "app/option_specs.hpp"
#include "app/option_values.hpp"
#include "sim/error.hpp"

namespace tri::app {
namespace {

constexpr u32 kMostSamples = 100000;
constexpr u32 kMostFeatures = 16;

void check_bench(const RunConfig& config) {
  if (config.common.json && config.given.count("--format")) {
    throw ConfigError("--json and --format exclude each other; --json is --format json.");
  }
  // The axes with preset and defaults in: names of maps, options without a kernel that reads them.
  bench_plan(config);
}

}  // namespace

CommandSpec bench_spec(RunConfig& config) {
  BenchOptions& bench = config.bench;
  CommandSpec spec{Command::bench, "bench", {}, {}, [&config] { check_bench(config); }};
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read) {
    spec.options.push_back({names, false, std::move(read)});
  };
  add("--kernel", [&bench](const std::string& v) { bench.kernels = parse_kernels(v); });
  add("--n", [&bench](const std::string& v) { bench.sizes = parse_sizes("--n", v); });
  add("--features",
      [&bench](const std::string& v) { bench.features = parse_small_sizes("--features", v, 1, kMostFeatures); });
  add("--samples", [&bench](const std::string& v) {
    bench.samples = static_cast<u32>(whole_number("--samples", v, 1, kMostSamples));
  });
  add("--baseline", [&bench](const std::string& v) { bench.baseline = v; });
  add("--placement", [&bench](const std::string& v) {
    bench.placement = static_cast<GasketPlacement>(choice("--placement", v, {"subbox", "lut", "unroll"}));
  });
  add("--preset", [&bench](const std::string& v) { bench.preset = preset_name(v); });
  add("--format", [&bench](const std::string& v) {
    bench.format = static_cast<BenchFormat>(choice("--format", v, {"table", "csv", "json"}));
  });
  add("-o,--output", [&bench](const std::string& v) { bench.output = v; });
  const u32 takes = kBackend | kWork | kPrecision | kAccumulate | kSeed | kThreads;
  for (auto& o : common_specs(config.common, takes)) spec.options.push_back(std::move(o));
  return spec;
}

}  // namespace tri::app
