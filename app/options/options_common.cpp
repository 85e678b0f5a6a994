// Options shared by several commands, and commands with few options.

#include <fmt/format.h>

#include <limits>

#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr u32 kMaxThreads = 1024;
constexpr u32 kLargestBlock = 1 << 20;

std::vector<OptionSpec> backend_specs(CommonOptions& c) {
  static constexpr const char* kNames[] = {"auto", "cpu", "cuda"};
  return {one_of("--backend", {std::begin(kNames), std::end(kNames)}, [&c](std::size_t k) { c.backend = kNames[k]; }),
          {"--device", false,
           [&c](const std::string& v) { c.device = static_cast<int>(whole_number("--device", v, 0, 255)); }}};
}

/// A command whose single argument is one of a set of words.
CommandSpec word_spec(Command command, const char* name, const std::vector<std::string_view>& words, std::string& to) {
  const auto read = [name, words, &to](const std::string& v) { to = std::string(words[choice(name, v, words)]); };
  return {
      command, name, {{fmt::format("{}", fmt::join(words, "|")), true, read, false, hint_names(words)}}, {}, nullptr};
}

}  // namespace

std::vector<OptionSpec> common_specs(CommonOptions& c, u32 takes) {
  std::vector<OptionSpec> specs;
  if (takes & kBackend) specs = backend_specs(c);
  const auto add = [&specs](const char* names, bool flag, std::function<void(const std::string&)> read) {
    specs.push_back({names, flag, std::move(read)});
  };
  if (takes & kWork) {
    add("--map", false, [&c](const std::string& v) { c.maps = name_list("--map", v); });
    std::vector<Domain> domains = {Domain::triangle, Domain::tetrahedron};
    if (takes & kCells) domains.push_back(Domain::gasket);
    specs.back().hint = hint_list(map_names(domains));
    add("--block", false, [&c](const std::string& v) { c.blocks = parse_small_sizes("--block", v, 1, kLargestBlock); });
  }
  if (takes & kPrecision) {
    specs.push_back(one_of("--precision", {"fp32", "fp64"},
                           [&c](std::size_t k) { c.precision = k == 0 ? Precision::fp32 : Precision::fp64; }));
  }
  if (takes & kAccumulate) {
    specs.push_back(one_of("--accumulate", {"fast", "ordered"},
                           [&c](std::size_t k) { c.accumulate = k == 0 ? Accumulate::fast : Accumulate::ordered; }));
  }
  if (takes & kBroadPhase) {
    static constexpr BroadPhase kAll[] = {BroadPhase::automatic, BroadPhase::all_pairs, BroadPhase::grid};
    specs.push_back(
        one_of("--broad-phase", {"auto", "all-pairs", "grid"}, [&c](std::size_t k) { c.broad_phase = kAll[k]; }));
  }
  if (takes & kSlices) {
    add("--slice-ms", false, [&c](const std::string& v) {
      c.slice_ms = v == "auto"  ? 0.0
                   : v == "off" ? std::numeric_limits<double>::infinity()
                                : positive_number("--slice-ms", v);
    });
    specs.back().hint = hint_names({"auto", "off"});
  }
  if (takes & kSeed)
    add("--seed", false, [&c](const std::string& v) { c.seed = whole_number("--seed", v, 0, ~u64{0}); });
  if (takes & kThreads) {
    add("--threads", false,
        [&c](const std::string& v) { c.threads = static_cast<u32>(whole_number("--threads", v, 1, kMaxThreads)); });
  }
  add("--json", true, [&c](const std::string&) { c.json = true; });
  add("-q,--quiet", true, [&c](const std::string&) { c.quiet = true; });
  add("-v,--verbose", true, [&c](const std::string&) { c.verbose = true; });
  return specs;
}

void check_common(const RunConfig& config) {
  const CommonOptions& c = config.common;
  if (c.quiet && c.verbose) throw ConfigError("--quiet and --verbose exclude each other.");
  if (c.device >= 0 && c.backend == "cpu") {
    throw ConfigError("--device chooses among CUDA devices, and --backend is cpu. Leave one of them out.");
  }
  if (config.given.count("--threads") && c.backend == "cuda") {
    throw ConfigError(
        "--threads counts host threads of the cpu backend, and --backend is cuda. Leave one of them out.");
  }
  if (config.given.count("--slice-ms") && c.backend == "cpu") {
    throw ConfigError("--slice-ms is of kernels on a GPU, and --backend is cpu. Leave one of them out.");
  }
}

void check_work(const CommonOptions& common) {
  if (common.maps.size() > 2) {
    throw ConfigError("--map takes one name, or two: the map of pairs and the map of triples.");
  }
  if (common.blocks.size() > 2) {
    throw ConfigError("--block takes one side, or two: that of pairs and that of triples.");
  }
}

CommandSpec verify_spec(RunConfig& config) {
  CommandSpec spec{Command::verify, "verify", {}, {}, nullptr};
  spec.options.push_back({"--quick", true, [](const std::string&) {}});
  spec.options.push_back({"--full", true, [&config](const std::string&) { config.verify.full = true; }});
  for (auto& o : common_specs(config.common, kBackend | kSeed | kThreads)) spec.options.push_back(std::move(o));
  spec.check = [&config] {
    if (config.given.count("--quick") && config.given.count("--full")) {
      throw ConfigError("--quick and --full exclude each other.");
    }
  };
  return spec;
}

CommandSpec convert_spec(RunConfig& config) {
  ConvertOptions& convert = config.convert;
  CommandSpec spec{Command::convert, "convert", {}, common_specs(config.common, 0), nullptr};
  spec.positionals.push_back(
      {"SCENE|FILE", true, [&convert](const std::string& v) { convert.input = v; }, false, hint_scenes(false)});
  spec.positionals.push_back(
      {"OUT", true, [&convert](const std::string& v) { convert.output = v; }, false, hint_file()});
  return spec;
}

CommandSpec doctor_spec(RunConfig& config) {
  return {Command::doctor, "doctor", {}, common_specs(config.common, 0), nullptr};
}

CommandSpec completion_spec(RunConfig& config) {
  return word_spec(Command::completion, "completion", {"bash", "zsh", "fish"}, config.shell);
}

CommandSpec man_spec(RunConfig&) { return {Command::man, "man", {}, {}, nullptr}; }

CommandSpec info_spec(RunConfig& config) {
  return {Command::info, "info", {}, common_specs(config.common, 0), nullptr};
}

CommandSpec list_spec(RunConfig& config) {
  CommandSpec spec = word_spec(Command::list, "list",
                               {"maps", "laws", "scenes", "generators", "fractals", "formats", "devices"}, config.list);
  spec.options = common_specs(config.common, 0);
  return spec;
}

}  // namespace tri::app
