// forces: what a law of pairs or triples does to bodies, without a simulation.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <vector>

#include "app/python/bodies_given.hpp"
#include "app/python/choices.hpp"
#include "app/python/parts.hpp"
#include "app/python/work.hpp"
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
};

template <class Real>
Forces<Real> computed(Bodies bodies, const LawSettings& laws, const Choices& choices, u32 block) {
  const auto backend = open_backend(choices.backend);
  const Scene scene = scene_of_bodies(std::move(bodies), laws);
  EngineConfig config;
  apply_overrides(overrides_of(scene.field, choices), config);
  config.precision = kPrecisionOf<Real>;
  (scene.field.pair != PairLaw::none ? config.pair_block : config.triple_block) = block;
  const ForceResult result = backend->make_engine(scene.bodies, scene.field, config)->forces();
  Forces<Real> forces{std::vector<Real>(3 * result.fx.size()), result.potential};
  const std::vector<double>* const axes[] = {&result.fx, &result.fy, &result.fz};
  for (std::size_t i = 0; i < result.fx.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Real value = forces.of_bodies[3 * i + k] = static_cast<Real>((*axes[k])[i]);
      if (std::isfinite(value)) continue;
      throw NumericalError(fmt::format("the force on body {} is {} along {}, beyond {}; give float64 arrays.", i,
                                       (*axes[k])[i], "xyz"[k], sizeof(Real) == 4 ? "float32" : "float64"));
    }
  }
  return forces;
}

/// ([n, 3], energy)
template <class Real>
nb::tuple forces(const Rows<Real>& x, const Rows<Real>& velocities, const Column<Real>& masses,
                 const Column<Real>& radii, const LawSettings& laws, const Name& map, u32 block, const Name& accumulate,
                 const Name& backend) {
  Bodies bodies = bodies_given<Real>(x, &velocities, masses, radii);
  const std::size_t n = bodies.size();
  auto* result = new Forces<Real>;
  const nb::capsule owner(result, [](void* p) noexcept { delete static_cast<Forces<Real>*>(p); });
  *result = run_released(fmt::format("forces on {} bodies", n), [&](SignalWatch&) {
    return computed<Real>(std::move(bodies), laws, {map, {}, accumulate, backend}, block);
  });
  return nb::make_tuple(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(result->of_bodies.data(), {n, 3}, owner),
                        result->energy);
}

template <class Real>
void add_forces_of(nb::module_& module) {
  module.def("forces", &forces<Real>, nb::arg("x").noconvert(), nb::arg("velocities").noconvert(),
             nb::arg("masses").noconvert(), nb::arg("radii").noconvert(), nb::arg("laws"), nb::arg("map").none(),
             nb::arg("block"), nb::arg("accumulate").none(), nb::arg("backend").none(),
             "The forces on bodies and their potential energy.");
}

}  // namespace

void add_forces(nb::module_& module) {
  nb::list pairs, triples;
  for (const std::string_view name : pair_law_names()) pairs.append(nb::str(name.data(), name.size()));
  for (const LawInfo& law : all_laws()) {
    if (law.triple != TripleLaw::none) triples.append(law.name);
  }
  module.attr("pair_laws") = pairs, module.attr("triple_laws") = triples;
  add_forces_of<float>(module);
  add_forces_of<double>(module);
}

}  // namespace tri::python
