// Options shared by several commands, completion hints, and commands with few options.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "app/support/map_files.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

constexpr u32 kMaxThreads = 1024;
constexpr u32 kLargestBlock = 1 << 20;

/// A command whose single argument is one of a set of words.
CommandSpec word_spec(Command command, const char* name, const std::vector<std::string_view>& words, std::string& to) {
  const auto read = [name, words, &to](const std::string& v) { to = std::string(words[choice(name, v, words)]); };
  return {
      command, name, {{fmt::format("{}", fmt::join(words, "|")), true, read, false, hint_names(words)}}, {}, nullptr};
}

/// `verify` takes options of its checks, and `verify map FILE` those of a proof.
void check_verify(const RunConfig& config) {
  const VerifyOptions& verify = config.verify;
  if (!verify.what.empty() && verify.file.empty()) {
    throw ConfigError("verify map needs a map or the file of one: triangulum verify map FILE.toml --n 1..64.");
  }
  for (const char* option : {"--n", "--plot"}) {
    if (verify.what.empty() && config.given.count(option)) {
      throw ConfigError(
          fmt::format("{} belongs to verify map; leave it out, or name a map: verify map lambda.", option));
    }
  }
  for (const char* option : {"--quick", "--full", "--backend", "--device", "--seed", "--threads"}) {
    if (!verify.what.empty() && config.given.count(option)) {
      throw ConfigError(fmt::format("verify map proves a map by itself, and {} has no effect; leave it out.", option));
    }
  }
}

}  // namespace

std::vector<OptionSpec> common_specs(CommonOptions& c, u32 takes) {
  CommandSpec spec{};
  if (takes & kBackend) {
    spec.one_of("--backend", {"auto", "cpu", "cuda"}, c.backend);
    spec.value("--device", c.device, whole_number, 0, 255);
  }
  if (takes & kDevices) spec.value("--devices", c.devices, device_list).hint = hint_names({"all"});
  if (takes & kWork) {
    std::vector<Domain> domains = {Domain::triangle, Domain::tetrahedron};
    if (takes & kCells) domains.push_back(Domain::gasket);
    OptionSpec& map = spec.value("--map", c.maps, map_list);
    map.hint = hint_list(map_names(domains)), map.hint.path = CompletionHint::Path::file;
    spec.value("--map-file", c.map_files, map_file_list).hint = hint_file();
    spec.value("--block", c.blocks, parse_small_sizes, 1, kLargestBlock);
  }
  if (takes & kPrecision) spec.one_of<Precision>("--precision", {"fp32", "fp64"}, c.precision);
  if (takes & kAccumulate) spec.one_of<Accumulate>("--accumulate", {"fast", "ordered"}, c.accumulate);
  if (takes & kArithmetic) spec.one_of<Arithmetic>("--arithmetic", {"auto", "float32", "tensor"}, c.arithmetic);
  if (takes & kTolerance) spec.one_of<Tolerance>("--tolerance", {"auto", "3e-7", "1e-6", "2e-6"}, c.tolerance);
  if (takes & kBroadPhase) spec.one_of<BroadPhase>("--broad-phase", {"auto", "all-pairs", "grid"}, c.broad_phase);
  if (takes & kSlices) {
    const auto read = [](std::string_view name, const std::string& v) {
      return v == "auto" ? 0.0 : v == "off" ? std::numeric_limits<double>::infinity() : positive_number(name, v);
    };
    spec.value("--slice-ms", c.slice_ms, read).hint = hint_names({"auto", "off"});
  }
  if (takes & kSeed) spec.value("--seed", c.seed, whole_number, 0, ~u64{0});
  if (takes & kThreads) spec.value("--threads", c.threads, whole_number, 1, kMaxThreads);
  if (!(takes & kNoJson)) spec.flag("--json", c.json);
  spec.flag("-q,--quiet", c.quiet);
  spec.flag("-v,--verbose", c.verbose);
  return spec.options;
}

CompletionHint hint_names(const std::vector<std::string_view>& names) { return {{names.begin(), names.end()}}; }
CompletionHint hint_list(const std::vector<std::string_view>& names) { return {{names.begin(), names.end()}, true}; }
CompletionHint hint_file() { return {{}, false, CompletionHint::Path::file}; }
CompletionHint hint_folder() { return {{}, false, CompletionHint::Path::folder}; }

CompletionHint hint_scenes(bool with_fractals) {
  CompletionHint hint = hint_file();
  hint.scenes = true;
  for (const SceneInfo& scene : list_scenes()) hint.names.emplace_back(scene.name);
  if (with_fractals) {
    for (const Fractal& fractal : list_fractals()) hint.names.push_back(fractal.name);
  }
  return hint;
}

void check_common(const RunConfig& config) {
  const CommonOptions& c = config.common;
  if (c.quiet && c.verbose) throw ConfigError("--quiet and --verbose exclude each other.");
  if (c.device >= 0 && c.backend == "cpu") {
    throw ConfigError("--device chooses among CUDA devices, and --backend is cpu. Leave one of them out.");
  }
  if (!c.devices.empty() && (c.device >= 0 || c.backend == "cpu")) {
    throw ConfigError(c.device >= 0 ? "--devices and --device both choose CUDA devices. Leave one of them out."
                                    : "--devices chooses CUDA devices, and --backend is cpu. Leave one of them out.");
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
  VerifyOptions& verify = config.verify;
  CommandSpec spec{Command::verify,
                   "verify",
                   {{"map", false, [&verify](const std::string& v) { verify.what = v, choice("verify", v, {"map"}); },
                     false, hint_names({"map"})},
                    {"FILE", false, text_into(verify.file), false, hint_file()}},
                   {},
                   nullptr};
  spec.options.push_back({"--quick", true, [](const std::string&) {}});
  spec.flag("--full", verify.full);
  add_typed_laws(spec, verify.law, verify.triple_law);
  spec.value("--n", verify.sides, side_list);
  spec.add("--plot", [&verify](const std::string& v) { check_svg_name("--plot", v), verify.plot = v; }).hint =
      hint_file();
  spec.append(common_specs(config.common, kBackend | kSeed | kThreads));
  spec.check = [&config] {
    if (config.given.count("--quick") && config.given.count("--full")) {
      throw ConfigError("--quick and --full exclude each other.");
    }
    check_verify(config);
  };
  return spec;
}

CommandSpec convert_spec(RunConfig& config) {
  ConvertOptions& convert = config.convert;
  CommandSpec spec{Command::convert,
                   "convert",
                   {{"SCENE|FILE", true, text_into(convert.input), false, hint_scenes(false)},
                    {"OUT", true, text_into(convert.output), false, hint_file()}},
                   common_specs(config.common, 0),
                   nullptr};
  spec.units(config.run.units);
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
  CommandSpec spec =
      word_spec(Command::list, "list",
                {"maps", "laws", "scenes", "generators", "fractals", "formats", "devices", "failures"}, config.list);
  spec.options = common_specs(config.common, 0);
  spec.value("--map-file", config.common.map_files, map_file_list).hint = hint_file();
  spec.check = [&config] {
    if (!config.common.map_files.empty() && config.list != "maps") {
      throw ConfigError(fmt::format("--map-file adds to the list of maps, and here is that of {}.", config.list));
    }
  };
  return spec;
}

}  // namespace tri::app
