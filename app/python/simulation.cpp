// Simulation: a scene in motion, for Python. The class that users see (triangulum/_bodies.py) checks its arguments and
// is made of this one.

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <vector>

#include "app/python/bodies_given.hpp"
#include "app/python/parts.hpp"
#include "app/python/scene_run.hpp"
#include "app/python/sentences.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/typed_text.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

/// [n, columns] of a copy of the bodies; None of a column that they do not have.
template <std::size_t N>
nb::object columns_of(SceneRun& run, const std::array<std::vector<double> Bodies::*, N>& columns) {
  const Bodies bodies = run.with("reading bodies", [](Simulation& s, SignalWatch&) { return s.bodies(); });
  const std::size_t n = bodies.size();
  if ((bodies.*columns[0]).empty()) return nb::none();
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

/// The laws with the keys of a scene's file, as scene_of_bodies() takes them.
nb::dict laws_of(const ForceField& field) {
  nb::dict to;
  to["pair"] = pair_law_words(field), to["triple"] = triple_law_words(field);
  if (field.pair == PairLaw::gravity) to["G"] = field.gravity.G, to["eps"] = field.gravity.softening;
  for (const LawInfo& law : all_laws()) {
    if (!law.acts(field)) continue;
    for (const LawParameter& p : law.parameters) {
      if (p.scene == nullptr || !p.matters(field)) continue;
      if (p.real != nullptr) {
        to[p.scene] = p.value(field);
      } else if (std::string(p.yes) == "true") {
        to[p.scene] = p.is_set(field);
      } else {
        to[p.scene] = p.is_set(field) ? p.yes : p.no;
      }
    }
  }
  const auto vector = [](const std::array<double, 3>& v) { return nb::make_tuple(v[0], v[1], v[2]); };
  to["walls"] = to_string(field.box.boundary);
  if (field.box.boundary != Boundary::open) to["low"] = vector(field.box.low), to["high"] = vector(field.box.high);
  if (field.field != std::array<double, 3>{0, 0, 0}) to["field"] = vector(field.field);
  return to;
}

/// One array of the state, [n] or [n, 3], which keeps its simulation alive: of NumPy on the host; of a device with its
/// address, shape, steps in bytes and type, for CUDA's array interface.
template <class Real>
nb::object lent_array(nb::handle self, const StateArrays& state, void* values, std::size_t n, bool columns) {
  const std::size_t shape[] = {n, 3};
  const i64 steps[] = {state.body, state.axis};
  const std::size_t dimensions = columns ? 2 : 1;
  if (state.device == StateArrays::kHost) {
    return nb::cast(nb::ndarray<nb::numpy, Real>(values, dimensions, shape, self, steps));
  }
  constexpr i64 kBytes = sizeof(Real);
  const nb::object array = nb::cast(nb::ndarray<nb::array_api, Real>(
      values, dimensions, shape, self, steps, nb::dtype<Real>(), nb::device::cuda::value, state.device));
  const auto address = reinterpret_cast<std::uintptr_t>(values);
  const char* const type = sizeof(Real) == 4 ? "<f4" : "<f8";
  if (!columns) return nb::make_tuple(array, address, nb::make_tuple(n), nb::make_tuple(kBytes * steps[0]), type);
  return nb::make_tuple(array, address, nb::make_tuple(n, 3), nb::make_tuple(kBytes * steps[0], kBytes * steps[1]),
                        type);
}

/// positions, velocities, masses, radii
nb::tuple lend(nb::handle self) {
  SceneRun& run = nb::cast<SceneRun&>(self);
  const auto [n, precision] =
      run.look([](Simulation& s) { return std::pair(s.size(), s.engine().config().precision); });
  const StateArrays state = run.lend();
  const auto array = [&, n = n, precision = precision](void* values, bool columns) {
    return precision == Precision::fp32 ? lent_array<float>(self, state, values, n, columns)
                                        : lent_array<double>(self, state, values, n, columns);
  };
  return nb::make_tuple(array(state.position, true), array(state.velocity, true), array(state.mass, false),
                        array(state.radius, false));
}

/// Of motion that the precision has lost, and of springs that are too soft. Throws where the user made warnings errors.
void warn(SceneRun& run) {
  for (const std::string& text : run.warnings()) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw nb::python_error();
  }
}

/// The same of an object that Python does not know of yet.
void warn_made(SceneRun& run) {
  try {
    warn(run);
  } catch (...) {
    run.~SceneRun();
    throw;
  }
}

constexpr const char* kDoc = "A scene in motion: the compiled part of triangulum.Simulation.";

void add_state(nb::class_<SceneRun>& type) {
  type.def_prop_ro(
      "diagnostics", [](SceneRun& run) { return dict_of(row_of(run)); },
      "Energies, momenta, virial and the relative energy error since step 0, or since arrays() changed the state;\n"
      "virial_ratio is -2 K / virial. Costs an evaluation of all pairs.");
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
      "radii", [](SceneRun& run) { return columns_of<1>(run, {&Bodies::r}); },
      nb::sig("def radii(self) -> numpy.typing.NDArray[numpy.float64]"), "(n,), a copy; 0 for points");
  type.def_prop_ro(
      "charges", [](SceneRun& run) { return columns_of<1>(run, {&Bodies::q}); },
      nb::sig("def charges(self) -> numpy.typing.NDArray[numpy.float64] | None"),
      "(n,), a copy; None for bodies without.");
  type.def_prop_ro(
      "time", [](SceneRun& run) { return run.look([](Simulation& s) { return s.time(); }); },
      "The time of the present step.");
  type.def_prop_ro(
      "steps", [](SceneRun& run) { return run.look([](Simulation& s) { return s.step_count(); }); },
      "Steps taken since step 0.");
  type.def_prop_ro(
      "overlap_max",
      [](SceneRun& run) {
        const auto overlap = run.overlap();
        warn(run);
        return overlap ? nb::object(nb::float_(overlap->of_radius)) : nb::none();
      },
      nb::sig("def overlap_max(self) -> float | None"),
      "The deepest overlap of two spheres that was seen, over the radius of the smaller one (at a wall: over that of\n"
      "the sphere), up to now; None without contact by springs. Steps are looked at as often as the speeds ask for,\n"
      "in at most a twentieth of the time.");
  type.def_prop_ro(
      "notes",
      [](SceneRun& run) {
        std::vector<std::string> notes;
        for (const std::string& note : run.notes()) notes.push_back(in_keywords(note));
        return notes;
      },
      "What a reader of files assumed or skipped, a sentence each.");
}

/// What is computed, and how.
void add_parameters(nb::class_<SceneRun>& type) {
  type.def_prop_ro(
      "laws", [](SceneRun& run) { return laws_of(run.look([](Simulation& s) { return s.scene().field; })); },
      nb::sig("def laws(self) -> dict[str, object]"),
      "The laws that act and their parameters, as Simulation(laws=) and scene files name them.");
  type.def_prop_ro(
      "dt", [](SceneRun& run) { return run.look([](Simulation& s) { return s.scene().dt; }); },
      "The time step; with eta > 0 that of a run without a force.");
  type.def_prop_ro(
      "eta", [](SceneRun& run) { return run.look([](Simulation& s) { return s.scene().eta; }); },
      "The accuracy of steps of automatic length; 0: steps of dt.");
  type.def_prop_ro(
      "integrator",
      [](SceneRun& run) { return to_string(run.look([](Simulation& s) { return s.scene().integrator; })); },
      "'kdk', 'symplectic-euler', 'yoshida4' or 'hermite'.");
  type.def_prop_ro(
      "units", [](SceneRun& run) { return run.look([](Simulation& s) { return s.scene().units; }); },
      "The system of units, or words.");
  type.def_prop_ro(
      "map",
      [](SceneRun& run) {
        return run.look([](Simulation& s) {
          const EngineConfig& c = s.engine().config();
          const bool triples = s.scene().field.triple != TripleLaw::none && s.scene().field.pair == PairLaw::none;
          return std::string(triples ? info(c.triple_map).name : info(c.pair_map).name);
        });
      },
      "The map of pairs; of triples where there is no law of pairs.");
  type.def_prop_ro(
      "precision",
      [](SceneRun& run) { return to_string(run.look([](Simulation& s) { return s.engine().config().precision; })); },
      "'fp32' or 'fp64': of the state and of the terms of sums.");
  type.def_prop_ro(
      "accumulate",
      [](SceneRun& run) { return to_string(run.look([](Simulation& s) { return s.engine().config().accumulate; })); },
      "'fast' or 'ordered'.");
  type.def_prop_ro(
      "backend", [](SceneRun& run) { return run.backend().name; }, "'cpu' or 'cuda'.");
  type.def_prop_ro(
      "device", [](SceneRun& run) { return run.backend().device; }, "The processor or card, by name.");
  type.def("__len__", [](SceneRun& run) { return run.look([](Simulation& s) { return s.size(); }); });
}

void add_making(nb::class_<SceneRun>& type) {
  type.def(
      "__init__",
      [](SceneRun* self, const std::filesystem::path& scene, const Settings& settings, const Name& map,
         const Name& precision, const Name& accumulate, const Name& backend) {
        run_released("starting", [&](SignalWatch&) {
          new (self) SceneRun(scene.string(), settings, {map, precision, accumulate, backend});
          return 0;
        });
        warn_made(*self);
      },
      nb::arg("scene"), nb::arg("settings"), nb::arg("map").none(), nb::arg("precision").none(),
      nb::arg("accumulate").none(), nb::arg("backend").none());
  type.def(
      "__init__",
      [](SceneRun* self, const Rows<double>& positions, const Rows<double>& velocities, const Column<double>& masses,
         const Column<double>& radii, const Column<double>& charges, const Settings& settings, const Name& map,
         const Name& precision, const Name& accumulate, const Name& backend) {
        Bodies bodies = bodies_given<double>(positions, &velocities, masses, radii, charges);
        run_released("starting", [&](SignalWatch&) {
          new (self) SceneRun(std::move(bodies), settings, {map, precision, accumulate, backend});
          return 0;
        });
        warn_made(*self);
      },
      nb::arg("positions").noconvert(), nb::arg("velocities").noconvert(), nb::arg("masses").noconvert(),
      nb::arg("radii").noconvert(), nb::arg("charges").noconvert(), nb::arg("settings"), nb::arg("map").none(),
      nb::arg("precision").none(), nb::arg("accumulate").none(), nb::arg("backend").none());
}

}  // namespace

void add_simulation(nb::module_& module) {
  module.def(
      "holds_run", [](const std::filesystem::path& path) { return holds_run(path.string()); }, nb::arg("path"),
      "Whether a file is a snapshot of a run.");
  nb::class_<SceneRun> type(module, "Simulation", kDoc);
  add_making(type);
  type.def("__repr__", &SceneRun::text);
  type.def(
      "__reduce__",
      [](const SceneRun&) -> nb::object {
        throw nb::type_error("a Simulation cannot be pickled; save() it to a .h5 file and open that.");
      },
      nb::sig("def __reduce__(self) -> tuple"));
  type.def(
      "step",
      [](SceneRun& run, i64 n) {
        run.advance(checked_steps(n));
        warn(run);
      },
      nb::arg("n") = 1, "Takes n >= 0 steps.");
  type.def(
      "run",
      [](SceneRun& run, double until) {
        const u64 steps = run.run_until(until);
        warn(run);
        return steps;
      },
      nb::kw_only(), nb::arg("until"),
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
      "save",
      [](SceneRun& run, const std::filesystem::path& path) {
        for (const std::string& lost : run.save(path.string())) {
          if (PyErr_WarnEx(PyExc_RuntimeWarning, lost.c_str(), 1) != 0) throw nb::python_error();
        }
      },
      nb::arg("path"),
      "Writes the state by the extension of the path: .h5 is a snapshot, from which Simulation.load() goes on "
      "exactly;\n"
      ".npy, .csv, .tab, .xyz, .ply, .vtp hold the bodies. An earlier file survives any failure.");
  type.def(
      "_lend", [](nb::handle self) { return lend(self); }, "The state itself, until take_back().");
  type.def(
      "_take_back",
      [](SceneRun& run, bool discard) {
        run.take_back(discard);
        warn(run);
      },
      nb::arg("discard"), "Goes on with what was written, or without it.");
  add_state(type);
  add_parameters(type);
}

}  // namespace tri::python
