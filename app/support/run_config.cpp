#include "app/support/run_config.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {
namespace {

const SceneInfo* find(const std::string& spec) {
  const std::string name = scene_name(spec);
  const auto scenes = list_scenes();
  const auto at = std::find_if(scenes.begin(), scenes.end(), [&](const SceneInfo& s) { return name == s.name; });
  return at == scenes.end() ? nullptr : &*at;
}

void add_key(std::string& spec, const std::string& key) { spec += (split_spec(spec).second.empty() ? ":" : ",") + key; }

/// The key of this scene that means the same as an option, or its name. Generators of spheres derive the dashpot and
/// the step from their k.
std::string key_of(const std::string& spec, const GivenParameter& given) {
  return given.option == "--stiffness" && has_key(spec, "k") ? "k" : given.option.substr(2);
}

}  // namespace

std::string scene_name(const std::string& spec) { return split_spec(spec).first; }

bool is_scene(const std::string& spec) { return takes_keys(spec); }

bool scene_takes(const std::string& spec, std::string_view key) {
  const SceneInfo* scene = find(spec);
  if (scene == nullptr) return false;
  // "n=4096, seed=42, ...": the list that `list scenes` shows, which a test compares with the generators.
  return fmt::format(", {}", scene->keys).find(fmt::format(", {}=", key)) != std::string::npos;
}

std::optional<u64> scene_count(const std::string& spec, std::string_view key) {
  const SceneInfo* scene = find(spec);
  if (scene == nullptr) return std::nullopt;
  const std::string given = "," + split_spec(spec).second, lead = fmt::format("{}=", key);
  // The last one given counts; the list of defaults has a space after each comma.
  const std::string defaults = fmt::format(", {}", scene->keys);
  const std::size_t own = given.rfind("," + lead), usual = defaults.find(", " + lead);
  const std::string& text = own != std::string::npos ? given : defaults;
  const std::size_t at = own != std::string::npos ? own + 1 + lead.size() : usual + 2 + lead.size();
  if (own == std::string::npos && usual == std::string::npos) return std::nullopt;
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size() || *end == ',';
  return error == std::errc() && whole ? std::optional(value) : std::nullopt;
}

SceneToView scene_to_view(const std::string& spec) {
  if (takes_keys(spec) || !holds_run(spec)) return {open_scene(spec, {"", "", true}), {}};
  Snapshot snapshot = read_snapshot(spec);
  Scene& scene = snapshot.scene;
  scene.name = spec;
  scene.notes.push_back(
      fmt::format("'{}' is a run at step {}, t = {:.6g}: it continues from there, with its laws, time step, scheme, "
                  "precision and map.",
                  spec, snapshot.step, snapshot.time));
  return {std::move(scene), ResumePoint{{snapshot.step, snapshot.time, snapshot.next_step},
                                        snapshot.initial,
                                        snapshot.engine,
                                        std::move(snapshot.run)}};
}

EngineConfig as_computed(EngineConfig now, const EngineConfig& before) {
  now.precision = before.precision, now.accumulate = before.accumulate;
  now.arithmetic = before.arithmetic, now.tolerance = before.tolerance;
  now.pair_map = before.pair_map, now.triple_map = before.triple_map;
  now.broad_phase = before.broad_phase, now.pairs = before.pairs;
  return now;
}

std::string with_options(std::string spec, const RunConfig& config) {
  const RunOptions& run = config.run;
  const auto add = [&spec](const std::string& key) { add_key(spec, key); };
  if (config.common.seed) add(fmt::format("seed={}", *config.common.seed));
  for (const GivenParameter& p : run.parameters) {
    if (const std::string key = key_of(spec, p); has_key(spec, key)) add(fmt::format("{}={}", key, value_text(p)));
  }
  if (!run.units.empty()) add("units=" + run.units);
  return spec;
}

std::vector<GivenParameter> parameters_beside(const std::string& spec, const RunOptions& run) {
  std::vector<GivenParameter> rest = run.parameters;
  std::erase_if(rest, [&](const GivenParameter& p) { return has_key(spec, key_of(spec, p)); });
  return rest;
}

Scene scene_of(const RunConfig& config, bool to_view) {
  const RunOptions& run = config.run;
  Scene scene;
  const SceneLaws laws{run.law, run.triple_law, to_view, parameters_beside(run.scene, run)};
  if (takes_keys(run.scene)) {
    std::string spec = with_options(run.scene, config);
    const auto add = [&spec](const std::string& key) { add_key(spec, key); };
    if (run.dt) add(fmt::format("dt={:.17g}", *run.dt));
    if (run.dt_auto) add("dt=auto");
    if (run.eta) add(fmt::format("eta={:.17g}", *run.eta));
    if (run.integrator) add(fmt::format("integrator={}", to_string(*run.integrator)));
    if (config.common.precision) add(fmt::format("precision={}", to_string(*config.common.precision)));
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

std::string without_key(const std::string& spec, std::string_view key) {
  const auto [name, keys] = split_spec(spec);
  std::string out = name;
  std::istringstream rest(keys);
  for (std::string pair; std::getline(rest, pair, ',');) {
    if (!pair.empty() && pair.substr(0, pair.find('=')) != key) out += (out == name ? ":" : ",") + pair;
  }
  return out;
}

std::string with_key(const std::string& spec, std::string_view key, std::string_view value) {
  const std::string rest = without_key(spec, key);
  return fmt::format("{}{}{}={}", rest, rest == split_spec(spec).first ? ":" : ",", key, value);
}

std::vector<SceneKey> keys_with_values(const std::string& spec) {
  std::string list;
  try {
    list = keys_of_scene(spec);
  } catch (const Error&) {
    return {};
  }
  std::vector<SceneKey> all;
  const std::string given = "," + split_spec(spec).second;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size()), sign = list.find('=', at);
    SceneKey& k = all.emplace_back(SceneKey{list.substr(at, sign - at), "", list.substr(sign + 1, end - sign - 1)});
    const std::size_t own = given.rfind(fmt::format(",{}=", k.key));
    const std::size_t from = own == std::string::npos ? given.size() : own + k.key.size() + 2;
    k.given = given.substr(from, given.find(',', from) - from);
    at = end + 2;
  }
  return all;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStep = "{step}";

struct Output {
  const char* option;
  std::string path;
  bool is_series = false;  ///< many files, {step} in the path
};

struct Roles {
  std::vector<std::string> inputs;
  std::vector<Output> outputs;

  void reads(const std::string& path) {
    if (!path.empty()) inputs.push_back(path == "-" ? "/proc/self/fd/0" : path);
  }
  void writes(const char* option, const std::string& path) {
    if (!path.empty()) outputs.push_back({option, path});
  }
  /// Many files, or the one that a recording is.
  void writes_frames(const char* option, const std::string& path) {
    if (!path.empty() && frame_target(option, path) != FrameTarget::folder) writes(option, path);
  }
};

/// The file of a scene text; empty for a scene by its name.
std::string scene_file(const std::string& spec) {
  if (spec.empty() || !takes_keys(spec)) return spec;
  const std::string name = split_spec(spec).first;
  return name.ends_with(".toml") ? name : "";
}

void read_maps(Roles& roles) {
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    for (const MapInfo& map : maps) {
      if (const mapfile::MapFile* file = mapfile::map_file_of(map)) roles.reads(file->path());
    }
  }
}

Roles roles_of(const RunConfig& config) {
  Roles roles;
  read_maps(roles);
  roles.reads(scene_file(config.run.scene));
  roles.reads(config.run.restart);
  roles.writes("--diag", config.run.diag);
  roles.writes("--output", config.run.output);
  if (!config.run.snapshot.empty()) {
    roles.outputs.push_back({"--snapshot", config.run.snapshot, true});
    roles.writes("--snapshot", series_name(config.run.snapshot));
  }
  for (const std::string& fractal : config.bench.fractals) {
    if (fractal.ends_with(".toml")) roles.reads(fractal);
  }
  roles.writes("--output", config.bench.output);
  roles.reads(config.bench.compare);
  roles.writes("--resume", config.bench.resume);  // read and written: an output, as to the others
  roles.writes("--plot", config.bench.plot);
  roles.writes("--plot", config.law.plot);
  roles.reads(config.verify.file);
  roles.writes("--plot", config.verify.plot);
  roles.reads(config.compute.input);
  roles.writes("--output", config.compute.output);
  roles.reads(scene_file(config.convert.input));
  roles.writes("OUT", config.convert.output);
  for (const std::string& result : config.plot.inputs) roles.reads(result);
  roles.writes("--output", config.plot.output);
  roles.reads(config.view.script);
  roles.writes("--screenshot", config.view.screenshot);
  roles.writes_frames("--record", config.view.record);
  roles.reads(config.render.camera_path);
  roles.writes_frames("--output", config.render.output);
  return roles;
}

/// Absolute and without links, as far as the path is there.
std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error || whole.empty() ? path : whole.string();
}

std::string name_of(const std::string& path) { return path == "-" ? "/proc/self/fd/1" : path; }

bool same_file(const std::string& first, const std::string& second) {
  const std::string a = name_of(first), b = name_of(second);
  std::error_code ignored;
  const fs::file_status status = fs::status(a, ignored);
  if (!fs::exists(status)) return resolved(io::target_of(a)) == resolved(io::target_of(b));
  return fs::is_regular_file(status) && fs::equivalent(a, b, ignored);
}

/// The number that a name has in place of {step}; nullopt for one that the pattern does not make.
std::optional<u64> step_in(std::string_view name, std::string_view pattern) {
  std::optional<u64> step;
  for (;;) {
    const std::size_t at = pattern.find(kStep);
    if (name.substr(0, at) != pattern.substr(0, at)) return {};
    if (at == std::string_view::npos) return step;
    name.remove_prefix(at), pattern.remove_prefix(at + kStep.size());
    u64 number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || (step && *step != number)) return {};
    step = number;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  }
}

/// Calls f(path, step) for the files that are there under names of the pattern. {step} may be in the names of folders.
template <class F>
void each_of_series(const std::string& pattern, const F& f) {
  std::vector<fs::path> found{fs::path(pattern).is_absolute() ? fs::path("/") : fs::path()};
  for (const fs::path& part : fs::path(pattern).relative_path()) {
    std::vector<fs::path> next;
    for (const fs::path& folder : found) {
      if (part.string().find(kStep) == std::string::npos) {
        next.push_back(folder / part);
        continue;
      }
      std::error_code failed;
      for (fs::directory_iterator at(folder.empty() ? "." : folder, failed), end; !failed && at != end;
           at.increment(failed)) {
        const fs::path name = at->path().filename();
        if (step_in(name.string(), part.string())) next.push_back(folder / name);
      }
    }
    found = std::move(next);
  }
  for (const fs::path& path : found) {
    if (const auto step = step_in(path.string(), pattern)) f(path.string(), *step);
  }
}

[[noreturn]] void refuse_input(const char* option, const std::string& path) {
  throw ConfigError(
      fmt::format("{} {}: this file is also the input, which would be lost; name another file.", option, path));
}

/// Of a series: what is there under its names, and what may come.
void check_series(const Output& series, const Roles& roles) {
  for (const Output& other : roles.outputs) {
    if (other.is_series || !step_in(resolved(name_of(other.path)), resolved(series.path))) continue;
    throw ConfigError(
        fmt::format("{} {} and {} {} write one file; name two.", series.option, series.path, other.option, other.path));
  }
}

void check_pair(const Output& a, const Output& b) {
  if (a.is_series || b.is_series || (a.path == "-" && b.path == "-") || !same_file(a.path, b.path)) return;
  throw ConfigError(fmt::format("{} {} and {} {} are one file; name two.", b.option, b.path, a.option, a.path));
}

/// The path up to the first folder with {step} in its name, at step 0.
std::string first_folder(const std::string& pattern) {
  fs::path folder;
  for (const fs::path& part : fs::path(pattern)) {
    folder /= part;
    if (part.string().find(kStep) != std::string::npos) break;
  }
  std::string path = folder.string();
  return path.replace(path.find(kStep), kStep.size(), "0");
}

}  // namespace

void check_outputs(const RunConfig& config) {
  const Roles roles = roles_of(config);
  for (std::size_t i = 0; i < roles.outputs.size(); ++i) {
    const Output& output = roles.outputs[i];
    if (output.is_series) {
      check_series(output, roles);
      continue;
    }
    for (const std::string& input : roles.inputs) {
      if (same_file(output.path, input)) refuse_input(output.option, output.path);
    }
    for (std::size_t j = 0; j < i; ++j) check_pair(output, roles.outputs[j]);
  }
  const std::string& diag = config.run.diag;
  if (has_known_extension(diag) && format_name(diag) != "csv") {
    throw ConfigError(fmt::format("--diag {}: its rows are csv; give the file the extension .csv.", diag));
  }
}

void check_writable(const RunConfig& config, Console& console) {
  if (config.bench.dry_run || config.bench.tune) return;  // tuning makes the folder of its file
  for (const Output& output : roles_of(config).outputs) {
    std::string path = output.path;
    if (fs::path(path).parent_path().string().find(kStep) != std::string::npos) {
      path = first_folder(path);  // which is made at its step
      if (fs::is_directory(path)) continue;
    }
    if (const std::size_t at = path.find(kStep); output.is_series && at != std::string::npos) {
      path.replace(at, kStep.size(), "0");
    }
    io::require_writable(path);
    if (io::is_pipe(path)) {
      console.note(fmt::format("{} {} is a pipe: writing waits until another program reads it.", output.option, path));
    }
  }
}

bool replaces_input(const std::string& path, const std::string& loaded) {
  const std::optional<std::string> name = io::read_as(name_of(path));
  return name && loaded != *name && !loaded.starts_with(*name + ":");  // with columns or units behind it
}

void check_files_read(const RunConfig& config, std::optional<u64> first_step) {
  for (const Output& output : roles_of(config).outputs) {
    if (!output.is_series) {
      if (replaces_input(output.path)) refuse_input(output.option, output.path);
      continue;
    }
    each_of_series(output.path, [&](const std::string& path, u64 step) {
      if ((!first_step || step > *first_step) && replaces_input(path)) refuse_input(output.option, path);
    });
  }
}

namespace fs = std::filesystem;

std::string series_name(const std::string& pattern) {
  if (format_name(pattern) != "vtp") return "";
  fs::path path(pattern);
  std::string stem = path.stem().string();
  for (std::size_t at = 0; (at = stem.find(kStep)) != std::string::npos;) {
    const bool joined = at > 0 && (stem[at - 1] == '_' || stem[at - 1] == '-' || stem[at - 1] == '.');
    stem.erase(at - (joined ? 1 : 0), kStep.size() + (joined ? 1 : 0));
  }
  // With {step} in a folder's name each state has its own folder: the list goes next to the first of those folders.
  fs::path folder = path.parent_path();
  while (folder.string().find(kStep) != std::string::npos) folder = folder.parent_path();
  return (folder / ((stem.empty() ? "series" : stem) + ".pvd")).string();
}

void VtkSeries::add(const std::string& file, double time) {
  if (!wanted()) return;
  std::error_code ignored;
  if (!begun_ && time > 0 && fs::exists(path_, ignored)) {
    for (const io::PvdEntry& e : io::read_pvd_entries(path_)) {
      if (e.time < time) files_.emplace_back(e.time, e.file);
    }
  }
  begun_ = true;
  const fs::path folder = fs::path(path_).parent_path();
  const fs::path name = folder.empty() ? fs::path(file) : fs::path(file).lexically_relative(folder);
  files_.emplace_back(time, name.string());
  std::vector<io::PvdEntry> entries;
  for (const auto& [at, listed] : files_) entries.push_back({at, listed});
  io::write_pvd_entries(path_, entries);
}

}  // namespace tri::app
