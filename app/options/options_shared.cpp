// Options that several commands have, and those of bench.

#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/bench_plan.hpp"
#include "app/options/options.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/units.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {

std::vector<std::string> OptionSpec::spellings() const {
  const auto comma = names.find(',');
  if (comma == std::string::npos) return {names};
  return {names.substr(0, comma), names.substr(comma + 1)};
}

OptionSpec& CommandSpec::add(const char* names, std::function<void(const std::string&)> read) {
  return options.emplace_back(OptionSpec{names, false, std::move(read)});
}

OptionSpec& CommandSpec::flag(const char* names, bool& to) {
  return options.emplace_back(OptionSpec{names, true, [&to](const std::string&) { to = true; }});
}

OptionSpec& CommandSpec::one_of(const char* option, const std::vector<std::string_view>& names, std::string& to) {
  OptionSpec& added = add(option, [=, &to](const std::string& v) { to = names[choice(option, v, names)]; });
  added.hint.names = {names.begin(), names.end()};
  return added;
}

OptionSpec& CommandSpec::units(std::string& to) {
  const std::vector<std::string_view> names = unit_system_names();
  OptionSpec& added = add("--units", [=, &to](const std::string& v) {
    if (const std::string two = ambiguous_unit(v); !two.empty())
      throw ConfigError(fmt::format("--units {}: {}.", v, two));
    to = find_unit_system(v) != nullptr ? v : std::string(names[choice("--units", v, names)]);
  });
  added.hint.names = {names.begin(), names.end()};
  return added;
}

void CommandSpec::append(std::vector<OptionSpec> more) {
  std::move(more.begin(), more.end(), std::back_inserter(options));
}

void check_svg_name(const char* option, const std::string& name) {
  if (!name.ends_with(".svg")) throw ConfigError(fmt::format("{} {}: a figure is written as .svg.", option, name));
}

// Options shared by several commands, completion hints, and commands with few options.

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
  const bool tree = verify.what == "tree";
  if (tree && verify.file.empty()) {
    throw ConfigError("verify tree needs a scene or a file of bodies: triangulum verify tree plummer:n=20000.");
  }
  for (const char* option : {"--precision", "--tolerance"}) {
    if (!tree && config.given.count(option)) {
      throw ConfigError(fmt::format("{} belongs to verify tree; leave it out.", option));
    }
  }
  if (!verify.what.empty() && verify.file.empty()) {
    throw ConfigError("verify map needs a map or the file of one: triangulum verify map FILE.toml --n 1..64.");
  }
  for (const char* option : {"--n", "--plot"}) {
    if (verify.what != "map" && config.given.count(option)) {
      throw ConfigError(
          fmt::format("{} belongs to verify map; leave it out, or name a map: verify map lambda.", option));
    }
  }
  for (const char* option : {"--quick", "--full", "--seed", "--law", "--triple-law"}) {
    if (tree && config.given.count(option)) {
      throw ConfigError(fmt::format("{} has no effect on verify tree; leave it out.", option));
    }
  }
  for (const char* option :
       {"--quick", "--full", "--backend", "--device", "--seed", "--threads", "--law", "--triple-law"}) {
    if (verify.what == "map" && config.given.count(option)) {
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
  if (takes & kPairs) spec.one_of<PairSearch>("--pairs", kNamesOf<PairSearch>.list(), c.pairs);
  if (takes & kTolerance) spec.one_of<Tolerance>("--tolerance", kNamesOf<Tolerance>.list(), c.tolerance);
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
    hint.names.emplace_back(kTriangleLife);
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
                   {{"map|tree", false,
                     [&verify](const std::string& v) {
                       verify.what = v, choice("verify", v, {"map", "tree"});
                     },
                     false, hint_names({"map", "tree"})},
                    {"MAP|SCENE", false, text_into(verify.file), false, hint_file()}},
                   {},
                   nullptr};
  spec.options.push_back({"--quick", true, [](const std::string&) {}});
  spec.flag("--full", verify.full);
  add_typed_laws(spec, verify.law, verify.triple_law);
  spec.value("--n", verify.sides, side_list);
  spec.add("--plot", [&verify](const std::string& v) { check_svg_name("--plot", v), verify.plot = v; }).hint =
      hint_file();
  spec.append(common_specs(config.common, kBackend | kSeed | kThreads | kPrecision));
  spec.one_of<Tolerance>("--tolerance", kNamesOf<Tolerance>.list(), config.common.tolerance);
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

CommandSpec cite_spec(RunConfig&) { return {Command::cite, "cite", {}, {}, nullptr}; }

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

// Options of `law`, and laws as options of other commands.

namespace {

void check_text(const std::string& text, bool triples) {
  expression::typed_law(text, triples ? expression::Over::triples : expression::Over::pairs);
}

std::string typed_words(const char* option, const std::string& words, bool triples) {
  if (!is_law_text(words)) {
    throw ConfigError(fmt::format("{} takes the energy of {}, as in \"{}\"; got '{}'.", option,
                                  triples ? "a triple" : "a pair", triples ? "k/(a*b*c); k = 1" : "-G*mi*mj/r; G = 1",
                                  words));
  }
  check_text(words, triples);
  return words;
}

void check_law_options(RunConfig& config) {
  LawOptions& law = config.law;
  check_text(law.text, law.triples);
  if (law.from && law.to && !(*law.from < *law.to)) {
    throw ConfigError(fmt::format("--from {} and --to {}: the first must be below the second.", *law.from, *law.to));
  }
  if (!law.plot.empty()) check_svg_name("--plot", law.plot);
}

}  // namespace

std::string law_words(const char* option, const std::string& words, const std::vector<std::string_view>& names,
                      bool triples) {
  if (!is_law_text(words)) return std::string(names[choice(option, words, names)]);
  check_text(words, triples);
  return words;
}

void add_laws(CommandSpec& spec, std::string& law, std::string& triple_law) {
  spec.add("--law", [&law](const std::string& v) { law = law_words("--law", v, pair_law_names(), false); }).hint =
      hint_names(pair_law_names());
  const auto read = [&triple_law](const std::string& v) {
    triple_law = law_words("--triple-law", v, triple_law_names(), true);
  };
  spec.add("--triple-law", read).hint = hint_names(triple_law_names());
}

double number_in(const char* option, const std::string& text, const Range& range) {
  // A G of users pulls, as the key of scenes and in Python; the engine takes any.
  const Range& taken = std::string_view(option) == "--G" ? kPositive : range;
  const double value = finite_number(option, text);
  if (taken.holds(value)) return value;
  throw ConfigError(fmt::format("{} takes a number that is {}; got '{}'.", option, taken.text(), text));
}

void add_law_parameters(CommandSpec& spec, std::vector<GivenParameter>& to) {
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.option == nullptr) continue;
      const auto store = [&to, option = p.option](double value) {
        std::erase_if(to, [&](const GivenParameter& given) { return given.option == option; });
        to.push_back({option, value});
      };
      if (p.real != nullptr) {
        spec.add(p.option,
                 [=, range = p.range, option = p.option](const std::string& v) { store(number_in(option, v, range)); });
      } else if (std::string_view(p.yes) == "true") {
        spec.options.push_back({p.option, true, [=](const std::string&) { store(1); }});
      } else {
        const std::vector<std::string_view> names{p.no, p.yes};
        const auto read = [=, option = p.option](const std::string& v) {
          store(static_cast<double>(choice(option, v, names)));
        };
        spec.add(p.option, read).hint = hint_names(names);
      }
    }
  }
}

void add_typed_laws(CommandSpec& spec, std::string& law, std::string& triple_law) {
  spec.add("--law", [&law](const std::string& v) { law = typed_words("--law", v, false); });
  spec.add("--triple-law", [&triple_law](const std::string& v) { triple_law = typed_words("--triple-law", v, true); });
}

CommandSpec law_spec(RunConfig& config) {
  LawOptions& law = config.law;
  CommandSpec spec{Command::law, "law", {{"EXPRESSION", true, text_into(law.text), false, {}}}, {}, [&config] {
                     check_law_options(config);
                   }};
  spec.flag("--triples", law.triples);
  spec.value("--from", law.from, positive_number);
  spec.value("--to", law.to, positive_number);
  spec.add("--plot", text_into(law.plot)).hint = hint_file();
  spec.append(common_specs(config.common, 0));
  return spec;
}

// Options of `bench`.

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
  const std::vector<std::string_view> maps = map_names(parse_kernels("all"));
  spec.add("--kernel", [&bench](const std::string& v) { bench.kernels = parse_kernels(v); }).hint =
      with_all(kernel_names());
  spec.value("--n", bench.sizes, parse_sizes);
  describe_axes([&]<class T>(const BenchAxisInfo& axis, T BenchSpec::*, std::vector<T> BenchAxes::*values) {
    if constexpr (!std::is_same_v<T, std::string>) {
      if (axis.shared_option) return;
      const auto read = [&bench, axis, values](const std::string& v) { bench.*values = parse_axis<T>(axis, v); };
      const std::vector<std::string_view> names = axis_names<T>(axis);
      OptionSpec& added = spec.add(fmt::format("--{}", axis.key).c_str(), read);
      if (!names.empty()) added.hint = axis.one_value ? hint_names(names) : hint_list(names);
    }
  });
  spec.add("--fractal", [&bench](const std::string& v) { bench.fractals = {v}; }).hint = fractals();
  add_typed_laws(spec, bench.law, bench.triple_law);
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
