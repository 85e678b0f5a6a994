// The module itself, with bench and verify.

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/bench/report.hpp"
#include "app/bench/verify.hpp"
#include "app/options/options.hpp"
#include "app/python/parts.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

/// Names of options without their dashes, and texts; that of a flag is empty, or "False"; none: not given.
using Given = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Options that say where the command line reports to, and several devices.
bool is_of_commands(const std::string& option) {
  for (const char* name : {"--json", "--quiet", "--verbose", "--format", "--output", "--resume", "--dry-run", "--tune",
                           "--plot", "--devices", "--quick"}) {
    if (option == name) return true;
  }
  return false;
}

/// What the options of a command say. Throws ConfigError.
app::RunConfig config_of(app::CommandSpec (*spec_of)(app::RunConfig&), const Given& given) {
  app::RunConfig config;
  const app::CommandSpec spec = spec_of(config);
  config.argv = {"triangulum", spec.name};
  std::vector<std::string> known;
  for (const app::OptionSpec& option : spec.options) {
    if (!is_of_commands(option.long_name())) known.push_back(option.long_name().substr(2));
  }
  for (const auto& [name, text] : given) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      for (std::string& option : known) std::replace(option.begin(), option.end(), '-', '_');
      std::string typed = name;
      std::replace(typed.begin(), typed.end(), '-', '_');
      throw ConfigError(spec.name + ": " + unknown_name("keyword", typed, known));
    }
    const auto option =
        std::find_if(spec.options.begin(), spec.options.end(),
                     [&wanted = name](const app::OptionSpec& o) { return o.long_name() == "--" + wanted; });
    if (!text || (option->flag && *text == "False")) continue;
    if (option->flag != text->empty()) {
      throw ConfigError(fmt::format("{} takes {}.", name, option->flag ? "True or False" : "a value"));
    }
    option->read(*text);
    config.given.insert("--" + name);
    config.argv.push_back("--" + name);
    if (!option->flag) config.argv.push_back(*text);
  }
  app::check_common(config);
  if (spec.check) spec.check();
  return config;
}

/// Looks at signals four times a second.
class RareLooks final : public ProgressSink {
 public:
  explicit RareLooks(SignalWatch& watch) : watch_(watch) {}
  void report(const ProgressReport&) override {
    constexpr double kEvery = 0.25;
    const double now = clock_s();
    if (now - looked_s_ < kEvery) return;
    looked_s_ = now;
    watch_.look();
  }

 private:
  SignalWatch& watch_;
  double looked_s_ = clock_s();
};

std::string bench_json(const app::RunConfig& config, SignalWatch& watch) {
  app::BenchPlan plan = app::bench_plan(config);
  const std::string& old = config.bench.compare;
  const std::string before = old.empty() ? "" : app::old_report_text(old);
  const auto backend = app::open_backend(config.common);
  app::BenchMeta meta = app::bench_meta(config, backend->info());
  const auto meter = backend->make_meter(meta.no_meter);
  if (meter != nullptr) meta.no_meter.clear();
  if (plan.energy && meter == nullptr) {
    throw ConfigError(fmt::format("energy needs meters: {}. Leave it out.", meta.no_meter));
  }
  app::settle_on(*backend, plan, meta);
  // Looks within samples are timed, too: few, and none where a GPU would wait for them.
  RareLooks looks(watch);
  const ScopedProgressSink sink(looks);
  std::optional<ScopedTask> task;
  if (backend->info().name == "cpu") task.emplace("bench");
  app::BenchHooks hooks;
  hooks.meter = meter.get();
  hooks.progress = [&watch](const std::string&) { watch.look(); };
  const std::vector<app::BenchGroup> groups = app::run_bench(*backend, plan, hooks);
  std::string now = app::report_json(meta, plan, groups);
  if (old.empty()) return now;
  return app::report_json(meta, plan, groups, app::compare_reports(old, before, now, config.bench.threshold));
}

std::string verify_json(const app::RunConfig& config, SignalWatch& watch) {
  app::VerifyPlan plan;
  plan.full = config.verify.full;
  plan.seed = config.common.seed.value_or(plan.seed);
  plan.threads = config.common.threads.value_or(0);
  plan.maps = app::all_maps();
  const auto owned = app::backends_to_check(config.common);
  for (const auto& backend : owned) plan.backends.push_back(backend.get());
  const Stopwatch clock;
  const std::vector<app::VerifyCheck> checks = app::make_checks(plan);
  app::CheckRuns runs(checks);
  std::vector<app::VerifyRow> rows;
  while (rows.size() < checks.size()) {
    watch.look();
    rows.push_back(runs.next());
    // A check takes Ctrl-C for a failure.
    if (watch.raised()) throw InterruptedError("interrupted");
  }
  return app::verify_json(rows, clock.ms() / 1e3, false);
}

}  // namespace

void add_measure(nb::module_& module) {
  module.def(
      "bench",
      [](const Given& given) {
        const app::RunConfig config = config_of(app::bench_spec, given);
        return run_released([&](SignalWatch& watch) { return bench_json(config, watch); });
      },
      nb::arg("options"), "The JSON of `triangulum bench` with these options.");
  module.def(
      "verify",
      [](const Given& given) {
        const app::RunConfig config = config_of(app::verify_spec, given);
        return run_released("checks", [&](SignalWatch& watch) { return verify_json(config, watch); });
      },
      nb::arg("options"), "The JSON of `triangulum verify` with these options.");
}

// triangulum._core: the compiled part of the Python module. The package (triangulum/) checks arrays before it calls.

namespace {

/// Makes a map file one of the maps; its domain and name.
nb::tuple open_map_file(const std::string& path) {
  const std::string name = app::open_map(path);
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    for (const MapInfo& map : maps) {
      if (map.name == name) return nb::make_tuple(kDomains[static_cast<int>(map.domain)], map.name);
    }
  }
  throw ConfigError(fmt::format("no map has the name '{}'.", name));
}

nb::list maps() {
  nb::list rows;
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    for (const MapInfo& map : maps) {
      nb::dict row;
      row["domain"] = kDomains[static_cast<int>(map.domain)];
      row["name"] = map.name;
      row["space"] = map.space == Space::block ? "block" : "thread";
      row["formula"] = map.formula, row["source"] = map.source, row["limit"] = map.limit;
      row["max_side"] = map.max_side;
      row["alternative"] = map.alternative == nullptr ? nb::object(nb::none()) : nb::object(nb::str(map.alternative));
      row["historical"] = map.historical;
      rows.append(row);
    }
  }
  return rows;
}

nb::list scenes() {
  nb::list rows;
  for (const SceneInfo& scene : list_scenes()) {
    nb::dict row;
    row["name"] = scene.name, row["title"] = scene.title, row["keys"] = scene.keys;
    rows.append(row);
  }
  return rows;
}

/// A thread's first exception and its first look at thread-local data take memory, and end the process where there is
/// none. At the import there still is.
void allocate_thread_data() {
  try {
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    progress_is_wanted();
  }
}

}  // namespace
}  // namespace tri::python

NB_MODULE(_core, module) {
  using namespace tri::python;
  namespace io = tri::io;
  // Triton keeps the globals of a kernel, with objects of ours among them, to the very end of the interpreter.
  nanobind::set_leak_warnings(false);
  module.attr("version") = nanobind::str(tri::kVersion.data(), tri::kVersion.size());
  allocate_thread_data();
  InterpreterEnd::watch();
  add_errors(module);
  add_dlpack(module);
  add_distances(module);
  add_contacts(module);
  add_forces(module);
  add_triplets(module);
  add_maps(module);
  add_measure(module);
  add_simulation(module);
  module.def("open_map", &open_map_file, nanobind::arg("path"),
             nanobind::sig("def open_map(path: str) -> tuple[str, str]"),
             "Makes a map file one of the maps; its domain and its name.");
  module.def("read_hdf5_apart", &io::read_hdf5_apart, nanobind::arg("program"), nanobind::arg("argument"),
             "From now on a process that runs the program with this argument reads HDF5 files.");
  module.def("serve_hdf5", &io::serve_hdf5, "The work of that process; does not return from it.");
  module.def("maps", &maps, nanobind::sig("def maps() -> list[dict[str, object]]"),
             "The maps, a dict each: domain, name, space, formula, source, limit, max_side, alternative, historical.");
  module.def("scenes", &scenes, nanobind::sig("def scenes() -> list[dict[str, str]]"),
             "The built-in scenes, a dict each: name, title, and every key with its default.");
}
