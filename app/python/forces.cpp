// forces: what a law of pairs or triples does to bodies, without a simulation.

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
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/scene/scene.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

using LawSettings = std::vector<std::pair<std::string, std::string>>;

template <class Real>
struct Forces {
  std::vector<Real> of_bodies;  ///< [n, 3]
  double energy = 0;
  std::optional<std::size_t> vanished = {};  ///< the first body whose force is below the range of Real
  std::string lost = {};                     ///< as lost_forces()
  std::vector<std::string> idle = {};        ///< sentences about what was given and no force depends on
};

EngineOverrides asked_of(const ForceField& field, const Choices& choices, u32 block) {
  EngineOverrides asked = overrides_of(field, choices);
  if (block != 0) (field.pair != PairLaw::none ? asked.pair_block : asked.triple_block) = block;
  return asked;
}

template <class Real>
EngineConfig config_of(const EngineOverrides& asked) {
  EngineConfig config;
  apply_overrides(asked, config);
  config.precision = kPrecisionOf<Real>;
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

/// As check_images(), in the precision of the array: a scene is in float64.
template <class Real>
void check_places(const Bodies& bodies, const LawSettings& laws) {
  if (std::none_of(laws.begin(), laws.end(), [](const auto& setting) { return setting.first == "walls"; })) return;
  Bodies one;
  one.resize(1);
  const ForceField field = scene_of_bodies(one, laws, false).field;
  check_images(bodies, field.box, field.pair == PairLaw::contact, kPrecisionOf<Real>);
}

template <class Real>
Forces<Real> computed(Bodies bodies, const LawSettings& laws, const Choices& choices, u32 block, int device,
                      bool energy) {
  const CurrentDevice kept(choices.backend != "cpu");
  const auto backend = open_backend(choices.backend, device);
  check_places<Real>(bodies, laws);
  const Scene scene = scene_of(std::move(bodies), laws);
  check_columns(scene.bodies, scene.field);
  const EngineOverrides asked = asked_of(scene.field, choices, block);
  const auto engine = backend->make_engine(scene.bodies, scene.field, config_of<Real>(asked));
  check_effect(asked, scene.field, engine->config(), backend->info().name);
  const ForceResult result = engine->forces(energy);
  Forces<Real> forces{std::vector<Real>(3 * result.fx.size()), result.potential};
  forces.lost = lost_forces(*backend, scene.bodies, scene.field, config_of<Real>(asked), result);
  forces.idle = scene::idle_columns(scene.bodies, scene.field);
  if (std::string note = scene::idle_dashpots(scene.bodies, scene.field); !note.empty()) {
    forces.idle.push_back(std::move(note));
  }
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
void warn_of(const Forces<Real>& forces, bool moving, const LawSettings& laws) {
  std::vector<std::string> texts = forces.idle;
  const auto contact = [](const auto& setting) { return setting.first == "pair" && setting.second == "contact"; };
  if (moving && std::none_of(laws.begin(), laws.end(), contact)) {
    texts.push_back("velocities are given, and only forces of contact depend on them.");
  }
  if (!forces.lost.empty()) {
    texts.push_back(forces.lost +
                    (sizeof(Real) == 4 ? "; give float64 arrays." : "; leave out accumulate=\"ordered\"."));
  }
  if (forces.vanished) {
    const char* const type = sizeof(Real) == 4 ? "float32; give float64 arrays" : "float64";
    texts.push_back(fmt::format("the force on body {} is below the range of {}.", *forces.vanished, type));
  }
  for (const std::string& text : texts) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0) throw nb::python_error();
  }
}

/// Sets out[n, 3]; of the result, `of_bodies` may be empty. What the kernels for device memory do not do, or may
/// refuse, an engine does for a copy.
template <class Real>
Forces<Real> forces_to(const GivenBodies& given, const LawSettings& laws, const Choices& choices, u32 block,
                       bool energy, const GivenArray& out) {
  const GivenArray& x = given.positions;
  const int device = std::max(0, x.device);
  if (!x.on_host() || x.n == 0) {
    Bodies one;  // the laws do not depend on the bodies
    one.resize(1);
    one.r[0] = given.radii != nullptr ? 1 : given.radius;
    if (given.charged()) one.q = {1};
    const ForceField field = scene_of(one, laws).field;
    check_columns(one, field);
    const EngineOverrides asked = asked_of(field, choices, block);
    if (x.n == 0 && x.on_host())
      computed<Real>(one, laws, choices, block, device, energy);  // for all that an engine refuses
    if (x.n == 0) return {};
    const auto values = [](const GivenArray* of) { return of == nullptr ? nullptr : of->values<const Real>(); };
    const DeviceBodies<Real> bodies{values(&x),
                                    x.n,
                                    values(given.masses),
                                    Real(given.mass),
                                    values(given.radii),
                                    Real(given.radius),
                                    values(given.velocities),
                                    values(given.charges),
                                    Real(given.charge)};
    // Whether a choice of these acts, an engine says.
    const bool plain = !asked.pairs && !asked.tolerance;
    const auto total =
        plain ? device_forces<Real>(x.queue(), bodies, field, config_of<Real>(asked), energy, out.values<Real>())
              : std::optional<double>();
    if (total && !std::isfinite(*total)) throw NumericalError(sum_fault("potential energy", *total, field));
    Forces<Real> made;
    if (!scene::idle_columns(one, field).empty()) {
      made.idle = {"radii or charges are given, and no force of this law depends on them."};
    }
    std::string still = given.velocities == nullptr ? scene::idle_dashpots(one, field) : "";
    if (!still.empty()) made.idle.push_back(std::move(still));
    if (total) return made.energy = *total, made;
  }
  Forces<Real> forces = computed<Real>(bodies_of<Real>(given), laws, choices, block, device, energy);
  if (x.on_host()) {
    std::copy(forces.of_bodies.begin(), forces.of_bodies.end(), out.values<Real>());
  } else {
    copy_to_device(x.queue(), forces.of_bodies.data(), forces.of_bodies.size() * sizeof(Real), out.values<Real>());
  }
  return forces;
}

/// The energy, if it is asked for, else 0.
double forces(const GivenArray& x, const GivenArray* velocities, const GivenArray* masses, double mass,
              const GivenArray* radii, double radius, const GivenArray* charges, double charge, const LawSettings& laws,
              const Name& map, u32 block, const Name& accumulate, const Name& pairs, const Name& tolerance,
              const Name& backend, bool energy, const GivenArray& out) {
  const GivenBodies given{x, velocities, masses, mass, radii, radius, charges, charge};
  const Choices choices{map, {}, accumulate, x.on_host() ? backend : "cuda", pairs, tolerance};
  double total = 0;
  in_type_of(x, [&]<class Real>(Real) {
    const Forces<Real> made = run_released(fmt::format("forces on {} bodies", x.n), [&](SignalWatch&) {
      return with_arrays([&] { return forces_to<Real>(given, laws, choices, block, energy, out); });
    });
    warn_of(made, velocities != nullptr, laws);
    total = made.energy;
  });
  return total;
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
  nb::list tolerances;
  for (const std::string_view name : kNamesOf<Tolerance>.list()) tolerances.append(nb::str(name.data(), name.size()));
  module.attr("tolerances") = tolerances;
  module.def(
      "check_law",
      [](const std::string& text, bool of_triples) {
        expression::typed_law(text, of_triples ? expression::Over::triples : expression::Over::pairs);
      },
      nb::arg("text"), nb::arg("triples"), "Raises for a text that is no law.");
  module.def(
      "check_places",
      [](const GivenArray& positions, const GivenArray& radii, const LawSettings& laws) {
        check_places<float>(bodies_of<double>({positions, nullptr, nullptr, 1, &radii, 0, nullptr, 0}), laws);
      },
      nb::arg("positions"), nb::arg("radii"), nb::arg("laws"),
      "Raises ValueError for a place outside a periodic box that float32 does not know.");
  module.def("forces", &forces, nb::arg("x"), nb::arg("velocities").none(), nb::arg("masses").none(), nb::arg("mass"),
             nb::arg("radii").none(), nb::arg("radius"), nb::arg("charges").none(), nb::arg("charge"), nb::arg("laws"),
             nb::arg("map").none(), nb::arg("block"), nb::arg("accumulate").none(), nb::arg("pairs").none(),
             nb::arg("tolerance").none(), nb::arg("backend").none(), nb::arg("energy"), nb::arg("out"),
             "Sets out to the forces on bodies; returns their potential energy.");
}

}  // namespace tri::python
