// forces: what a law of pairs or triples does to bodies, without a simulation.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "app/python/parts.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/scene/scene.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

using LawSettings = std::vector<std::pair<std::string, std::string>>;

template <class Real>
struct Forces {
  std::vector<Real> of_bodies;  ///< [n, 3]
  double energy = 0;
  std::optional<std::size_t> vanished;  ///< the first body whose force is below the range of Real
};

template <class Real>
EngineConfig config_of(const ForceField& field, const Choices& choices, u32 block) {
  EngineConfig config;
  apply_overrides(overrides_of(field, choices), config);
  config.precision = kPrecisionOf<Real>;
  (field.pair != PairLaw::none ? config.pair_block : config.triple_block) = block;
  return config;
}

/// A scene of the bodies, for its laws. Keys that no force depends on are refused.
Scene scene_of(Bodies bodies, const LawSettings& laws) {
  Scene scene = scene_of_bodies(std::move(bodies), laws, false);
  constexpr std::string_view kOfRun[] = {"dt", "integrator", "eta", "precision"};
  for (const auto& [key, value] : laws) {
    const bool of_run = std::find(std::begin(kOfRun), std::end(kOfRun), key) != std::end(kOfRun);
    if (!of_run && (key != "units" || scene.field.pair == PairLaw::gravity)) continue;
    throw ConfigError(fmt::format("{} = {} {}, and has no effect on forces; leave it out.", key, value,
                                  of_run ? "is of a simulation" : "sets the G of gravity"));
  }
  const bool contact = scene.field.pair == PairLaw::contact;
  if (contact && scene.field.contact.impulse) {
    throw ConfigError("response = impulses changes velocities in steps and is no force; leave it out for springs.");
  }
  if (!contact && scene.field.box.boundary == Boundary::reflecting) {
    throw ConfigError(
        "walls = reflecting push spheres under contact, and have no effect on other forces; leave it out.");
  }
  return scene;
}

void check_columns(const Bodies& bodies, const ForceField& field) {
  const scene::MissingColumn missing = scene::missing_column(bodies, field);
  if (!missing.sentence.empty()) throw ConfigError(fmt::format("{}; give {}=.", missing.sentence, missing.keyword));
}

template <class Real>
Forces<Real> computed(Bodies bodies, const LawSettings& laws, const Choices& choices, u32 block, int device = 0) {
  const CurrentDevice kept(choices.backend != "cpu");
  const auto backend = open_backend(choices.backend, device);
  const Scene scene = scene_of(std::move(bodies), laws);
  check_columns(scene.bodies, scene.field);
  const EngineConfig config = config_of<Real>(scene.field, choices, block);
  const ForceResult result = backend->make_engine(scene.bodies, scene.field, config)->forces();
  Forces<Real> forces{std::vector<Real>(3 * result.fx.size()), result.potential, std::nullopt};
  const std::vector<double>* const axes[] = {&result.fx, &result.fy, &result.fz};
  for (std::size_t i = 0; i < result.fx.size(); ++i) {
    const double size = std::max({std::abs(result.fx[i]), std::abs(result.fy[i]), std::abs(result.fz[i])});
    const bool vanishes = size > 0 && size < static_cast<double>(std::numeric_limits<Real>::min());
    if (vanishes && !forces.vanished) forces.vanished = i;
    for (std::size_t k = 0; k < 3; ++k) {
      const Real value = forces.of_bodies[3 * i + k] = static_cast<Real>((*axes[k])[i]);
      if (std::isfinite(value)) continue;
      throw NumericalError(fmt::format("the force on body {} is {} along {}, beyond {}; give float64 arrays.", i,
                                       (*axes[k])[i], "xyz"[k], sizeof(Real) == 4 ? "float32" : "float64"));
    }
  }
  return forces;
}

template <class Real>
void warn_of_vanished(const Forces<Real>& forces) {
  if (!forces.vanished) return;
  const char* const type = sizeof(Real) == 4 ? "float32; give float64 arrays" : "float64";
  const std::string text = fmt::format("the force on body {} is below the range of {}.", *forces.vanished, type);
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0) throw nb::python_error();
}

/// ([n, 3], energy)
template <class Real>
nb::tuple forces(const Rows<Real>& x, const Rows<Real>& velocities, const Column<Real>& masses,
                 const Column<Real>& radii, const Column<Real>& charges, const LawSettings& laws, const Name& map,
                 u32 block, const Name& accumulate, const Name& backend) {
  Bodies bodies = bodies_given<Real>(x, &velocities, masses, radii, charges);
  const std::size_t n = bodies.size();
  auto* result = new Forces<Real>;
  const nb::capsule owner(result, [](void* p) noexcept { delete static_cast<Forces<Real>*>(p); });
  *result = run_released(fmt::format("forces on {} bodies", n), [&](SignalWatch&) {
    return with_arrays([&] { return computed<Real>(std::move(bodies), laws, {map, {}, accumulate, backend}, block); });
  });
  warn_of_vanished(*result);
  return nb::make_tuple(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(result->of_bodies.data(), {n, 3}, owner),
                        result->energy);
}

/// Copies n rows of so many values to the host; null: rows of `all`.
template <class Real>
std::vector<Real> rows_on_host(const DeviceQueue& queue, const Real* from, u64 n, u64 columns, Real all) {
  std::vector<Real> values(n * columns, all);
  if (from != nullptr) copy_to_host(queue, from, values.size() * sizeof(Real), values.data());
  return values;
}

template <class Real>
Bodies bodies_on_host(const DeviceQueue& queue, const DeviceBodies<Real>& from) {
  const std::vector<Real> x = rows_on_host<Real>(queue, from.positions, from.n, 3, 0);
  const std::vector<Real> v = rows_on_host<Real>(queue, from.velocities, from.n, 3, 0);
  const std::vector<Real> m = rows_on_host<Real>(queue, from.masses, from.n, 1, from.mass);
  const std::vector<Real> r = rows_on_host<Real>(queue, from.radii, from.n, 1, from.radius);
  Bodies b;
  b.resize(from.n);
  for (std::size_t i = 0; i < from.n; ++i) {
    b.x[i] = x[3 * i], b.y[i] = x[3 * i + 1], b.z[i] = x[3 * i + 2], b.m[i] = m[i];
    b.vx[i] = v[3 * i], b.vy[i] = v[3 * i + 1], b.vz[i] = v[3 * i + 2], b.r[i] = r[i];
  }
  if (from.charges != nullptr || from.charge != 0) {
    const std::vector<Real> q = rows_on_host<Real>(queue, from.charges, from.n, 1, from.charge);
    b.q.assign(q.begin(), q.end());
  }
  return b;
}

/// Sets out[n, 3], in device memory like the bodies; returns the energy, if it is asked for. What the device does not
/// do, or may refuse, an engine does for a copy.
template <class Real>
double forces_to(const DeviceQueue& queue, const DeviceBodies<Real>& bodies, const LawSettings& laws,
                 const Choices& choices, u32 block, bool energy, Real* out) {
  Bodies one;  // the laws do not depend on the bodies
  one.resize(1);
  const ForceField field = scene_of(one, laws).field;
  one.r[0] = bodies.radii != nullptr ? 1 : bodies.radius;
  if (bodies.charges != nullptr || bodies.charge != 0) one.q = {1};
  check_columns(one, field);
  const EngineConfig config = config_of<Real>(field, choices, block);
  if (bodies.n == 0) return 0;
  if (const auto total = device_forces<Real>(queue, bodies, field, config, energy, out)) return *total;
  const Forces<Real> forces = computed<Real>(bodies_on_host(queue, bodies), laws, choices, block, queue.device);
  copy_to_device(queue, forces.of_bodies.data(), forces.of_bodies.size() * sizeof(Real), out);
  return forces.energy;
}

double forces_on_device(const DeviceArray& x, const DeviceArray* velocities, const DeviceArray* masses, double mass,
                        const DeviceArray* radii, double radius, const DeviceArray* charges, double charge,
                        const LawSettings& laws, const Name& map, u32 block, const Name& accumulate, bool energy,
                        const DeviceArray& out) {
  double total = 0;
  in_type_of(x, [&]<class Real>(Real) {
    const auto values = [](const DeviceArray* of) { return of == nullptr ? nullptr : of->values<const Real>(); };
    const DeviceBodies<Real> bodies{values(&x),    x.n,          values(masses),     Real(mass),
                                    values(radii), Real(radius), values(velocities), values(charges),
                                    Real(charge)};
    total = run_released(fmt::format("forces on {} bodies", x.n), [&](SignalWatch&) {
      return with_arrays([&] {
        return forces_to<Real>(x.queue(), bodies, laws, {map, {}, accumulate, "cuda"}, block, energy,
                               out.values<Real>());
      });
    });
  });
  return total;
}

template <class Real>
void add_forces_of(nb::module_& module) {
  module.def("forces", &forces<Real>, nb::arg("x").noconvert(), nb::arg("velocities").noconvert(),
             nb::arg("masses").noconvert(), nb::arg("radii").noconvert(), nb::arg("charges").noconvert(),
             nb::arg("laws"), nb::arg("map").none(), nb::arg("block"), nb::arg("accumulate").none(),
             nb::arg("backend").none(), "The forces on bodies and their potential energy.");
}

}  // namespace

void add_forces(nb::module_& module) {
  nb::list pairs, triples;
  for (const std::string_view name : pair_law_names()) pairs.append(nb::str(name.data(), name.size()));
  for (const LawInfo& law : all_laws()) {
    if (law.triple != TripleLaw::none && !law.typed) triples.append(law.name);
  }
  module.attr("pair_laws") = pairs, module.attr("triple_laws") = triples;
  nb::list parameters;  // keywords, of whatever law
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.option != nullptr) parameters.append(p.option + 2);
    }
  }
  module.attr("law_parameters") = parameters;
  module.def(
      "check_law",
      [](const std::string& text, bool of_triples) {
        expression::typed_law(text, of_triples ? expression::Over::triples : expression::Over::pairs);
      },
      nb::arg("text"), nb::arg("triples"), "Raises for a text that is no law.");
  add_forces_of<float>(module);
  add_forces_of<double>(module);
  module.def("device_forces", &forces_on_device, nb::arg("x"), nb::arg("velocities").none(), nb::arg("masses").none(),
             nb::arg("mass"), nb::arg("radii").none(), nb::arg("radius"), nb::arg("charges").none(), nb::arg("charge"),
             nb::arg("laws"), nb::arg("map").none(), nb::arg("block"), nb::arg("accumulate").none(), nb::arg("energy"),
             nb::arg("out"), "The same of device memory, into `out`; the energy.");
}

}  // namespace tri::python
