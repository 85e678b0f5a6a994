// Simulation: a scene in motion, for Python.

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "app/python/choices.hpp"
#include "app/python/parts.hpp"
#include "app/python/work.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/map_choice.hpp"
#include "sim/simulation.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

using Text = std::optional<std::string>;

/// The map of the domains that the scene has; a name of both (bb) serves both.
void choose_map(const ForceField& field, const std::string& name, EngineOverrides& to) {
  const auto pair = find_triangle_map(name);
  const auto triple = find_tetra_map(name);
  if (!pair && !triple) triangle_map_from(name);  // throws, with the nearest name
  if (pair && field.pair != PairLaw::none) to.pair_map = pair;
  if (triple && field.triple != TripleLaw::none) to.triple_map = triple;
  if (!to.pair_map && !to.triple_map) {
    throw ConfigError(fmt::format("map '{}' is a map of {}, and the scene has no law of {}.", name,
                                  pair ? "pairs" : "triples", pair ? "pairs" : "triples"));
  }
}

/// A simulation, its backend, and the mark of the thread that uses it.
class SceneRun {
 public:
  SceneRun(std::string spec, const Text& map, const Text& precision, const Text& accumulate, const Text& backend)
      : spec_(std::move(spec)), backend_(open_backend(backend)) {
    EngineOverrides asked;
    if (precision) asked.precision = precision_from(*precision);
    if (accumulate) asked.accumulate = accumulate_from(*accumulate);
    if (!takes_keys(spec_) && holds_run(spec_)) {
      go_on(read_snapshot(spec_), map, asked);
    } else {
      begin(open_scene(spec_), map, asked);
    }
  }

  /// Returns work(simulation) of the one thread that may use it now.
  template <class F>
  auto with(const char* task, F&& work) {
    const Use use(busy_);
    return run_released(task, [&](SignalWatch& watch) { return work(*simulation_, watch); });
  }

  const std::vector<std::string>& notes() const { return notes_; }

  u64 advance(u64 steps) {
    return with("steps", [&](Simulation& s, SignalWatch& watch) { return advance(s, steps, kNoEnd, watch); });
  }

  u64 run_until(double until) {
    return with("steps", [&](Simulation& s, SignalWatch& watch) {
      if (!s.automatic()) return advance(s, s.steps_until(until), kNoEnd, watch);
      s.require_time_ahead(until, until < s.time());
      return advance(s, std::numeric_limits<u64>::max(), until, watch);
    });
  }

  void save(const std::string& path) {
    with("saving", [&](Simulation& s, SignalWatch&) {
      RunRecord record;
      record.scene = spec_, record.backend = backend_->info().name;
      record.last_step = s.step_count();
      s.save(path, record);
    });
  }

  std::string text() {
    const Use use(busy_);
    const EngineConfig& c = simulation_->engine().config();
    return fmt::format("<triangulum.Simulation '{}': {} bodies, step {}, t = {:.9g}, {} on {}>", spec_,
                       simulation_->size(), simulation_->step_count(), simulation_->time(), to_string(c.precision),
                       backend_->info().name);
  }

 private:
  static constexpr double kNoEnd = std::numeric_limits<double>::infinity();

  class Use {
   public:
    explicit Use(std::atomic<bool>& busy) : busy_(busy) {
      if (busy_.exchange(true)) {
        throw std::runtime_error("this simulation is at work in another thread; wait for it, or give each its own.");
      }
    }
    ~Use() { busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  void begin(Scene scene, const Text& map, EngineOverrides& asked) {
    if (map) choose_map(scene.field, *map, asked);
    EngineConfig config;
    config.precision = usual_precision(scene, backend_->info().triples_in_fp64);
    apply_overrides(asked, config);
    notes_ = scene.notes;
    simulation_.emplace(std::move(scene), *backend_, config);
  }

  void go_on(Snapshot from, const Text& map, EngineOverrides& asked) {
    if (map) choose_map(from.scene.field, *map, asked);
    EngineConfig config = from.engine;
    if (from.run.backend != backend_->info().name) {  // which has its own best choices
      const EngineConfig none;
      config.pair_block = none.pair_block, config.triple_block = none.triple_block;
      config.broad_phase = none.broad_phase, config.threads = none.threads, config.slice_ms = none.slice_ms;
    }
    apply_overrides(asked, config);
    notes_ = from.scene.notes;
    simulation_.emplace(std::move(from), *backend_, config);
  }

  /// As Simulation::advance(), with a look at signals between calls of the engine.
  static u64 advance(Simulation& s, u64 steps, double until, SignalWatch& watch) {
    for (u64 done = 0; done < steps;) {
      watch.look();
      const u64 now = s.advance(std::min(steps - done, s.automatic() ? 1 : s.engine().steps_at_once()), until);
      if (now == 0) return done;
      done += now;
    }
    return steps;
  }

  std::string spec_;
  std::unique_ptr<Backend> backend_;
  std::optional<Simulation> simulation_;
  std::vector<std::string> notes_;
  std::atomic<bool> busy_ = false;
};

/// [n, columns] of a copy of the bodies.
template <std::size_t N>
nb::object columns_of(SceneRun& run, const std::array<std::vector<double> Bodies::*, N>& columns) {
  const Bodies bodies = run.with("reading bodies", [](Simulation& s, SignalWatch&) { return s.bodies(); });
  const std::size_t n = bodies.size();
  auto* values = new std::vector<double>(N * n);
  const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < N; ++k) (*values)[N * i + k] = (bodies.*columns[k])[i];
  }
  if (N == 1) return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(values->data(), {n}, owner));
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(values->data(), {n, N}, owner));
}

DiagnosticsRow row_of(SceneRun& run) {
  return run.with("diagnostics", [](Simulation& s, SignalWatch&) { return s.diagnostics(); });
}

nb::dict dict_of(const DiagnosticsRow& row) {
  const auto vector = [](const std::array<double, 3>& v) { return nb::make_tuple(v[0], v[1], v[2]); };
  nb::dict to;
  to["step"] = row.step, to["time"] = row.time;
  to["kinetic"] = row.values.kinetic, to["potential"] = row.values.potential;
  to["energy"] = row.values.energy(), to["energy_error"] = row.energy_error;
  to["virial"] = row.values.virial, to["virial_ratio"] = row.values.virial_ratio();
  to["momentum"] = vector(row.values.momentum), to["angular_momentum"] = vector(row.values.angular_momentum);
  to["centre"] = vector(row.values.centre), to["mass"] = row.values.mass;
  return to;
}

u64 checked_steps(i64 n) {
  if (n < 0) throw ConfigError(fmt::format("n is {}; give 0 steps or more.", n));
  return static_cast<u64>(n);
}

constexpr const char* kDoc =
    "A scene in motion.\n\n"
    "scene: 'NAME:key=value,...' of scenes(), or the path of a scene (.toml) or of bodies; a snapshot of a run (.h5)\n"
    "goes on from its step. map: a name of maps(). precision: 'fp32' or 'fp64'; None: what the scene needs.\n"
    "accumulate: 'fast' or 'ordered' (bit-equal over maps, blocks and threads). backend: 'cpu', 'cuda', or None: the\n"
    "GPU where there is one. Quantities are in the scene's units, arrays are float64 copies.\n\n"
    "Raises ValueError (an unknown name, a map that does not fit), OSError (a file), MemoryError (before it is "
    "taken),\n"
    "NumericalError, RuntimeError (no such backend, or at work in another thread). Ctrl-C ends a call after a step.";

void add_state(nb::class_<SceneRun>& type) {
  type.def_prop_ro(
      "diagnostics", [](SceneRun& run) { return dict_of(row_of(run)); },
      "Energies, momenta, virial and the relative energy error since step 0. Costs an evaluation of all pairs.");
  type.def_prop_ro(
      "positions",
      [](SceneRun& run) {
        return columns_of<3>(run, {&Bodies::x, &Bodies::y, &Bodies::z});
      },
      nb::sig("def positions(self) -> numpy.typing.NDArray[numpy.float64]"), "(n, 3), a copy");
  type.def_prop_ro(
      "velocities",
      [](SceneRun& run) {
        return columns_of<3>(run, {&Bodies::vx, &Bodies::vy, &Bodies::vz});
      },
      nb::sig("def velocities(self) -> numpy.typing.NDArray[numpy.float64]"), "(n, 3), a copy");
  type.def_prop_ro(
      "masses", [](SceneRun& run) { return columns_of<1>(run, {&Bodies::m}); },
      nb::sig("def masses(self) -> numpy.typing.NDArray[numpy.float64]"), "(n,), a copy");
  type.def_prop_ro(
      "time", [](SceneRun& run) { return run.with("time", [](Simulation& s, SignalWatch&) { return s.time(); }); },
      "The time of the present step.");
  type.def_prop_ro(
      "steps",
      [](SceneRun& run) { return run.with("steps", [](Simulation& s, SignalWatch&) { return s.step_count(); }); },
      "Steps taken since step 0.");
  type.def_prop_ro("notes", &SceneRun::notes, "What a reader of files assumed or skipped, a sentence each.");
}

}  // namespace

void add_simulation(nb::module_& module) {
  nb::class_<SceneRun> type(module, "Simulation", kDoc);
  type.def(
      "__init__",
      [](SceneRun* self, const std::filesystem::path& scene, const Text& map, const Text& precision,
         const Text& accumulate, const Text& backend) {
        run_released("starting", [&](SignalWatch&) {
          new (self) SceneRun(scene.string(), map, precision, accumulate, backend);
          return 0;
        });
      },
      nb::arg("scene"), nb::kw_only(), nb::arg("map") = nb::none(), nb::arg("precision") = nb::none(),
      nb::arg("accumulate") = nb::none(), nb::arg("backend") = nb::none());
  type.def("__repr__", &SceneRun::text);
  type.def(
      "__reduce__",
      [](const SceneRun&) -> nb::object {
        throw nb::type_error("a Simulation cannot be pickled; save() it to a .h5 file and open that.");
      },
      nb::sig("def __reduce__(self) -> tuple"));
  type.def(
      "step", [](SceneRun& run, i64 n) { run.advance(checked_steps(n)); }, nb::arg("n") = 1, "Takes n >= 0 steps.");
  type.def("run", &SceneRun::run_until, nb::kw_only(), nb::arg("until"),
           "Runs to the step nearest to this time (to the time itself with dt=auto); returns how many steps it took.");
  type.def(
      "energy", [](SceneRun& run) { return row_of(run).values.energy(); },
      "Kinetic and potential energy of the present state. Costs an evaluation of all pairs.");
  type.def(
      "hash",
      [](SceneRun& run) {
        return hash_text(run.with("hash", [](Simulation& s, SignalWatch&) { return s.state_hash(); }));
      },
      "The hash of the bits of positions and velocities, as `triangulum run` prints it.");
  type.def(
      "save", [](SceneRun& run, const std::filesystem::path& path) { run.save(path.string()); }, nb::arg("path"),
      "Writes the state by the extension of the path: .h5 is a snapshot, from which Simulation(path) goes on exactly;\n"
      ".npy, .csv, .tab, .xyz, .ply, .vtp hold the bodies. An earlier file survives any failure.");
  add_state(type);
}

}  // namespace tri::python
