// pdist: distances of all pairs of points.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "app/python/choices.hpp"
#include "app/python/device_arrays.hpp"
#include "app/python/parts.hpp"
#include "app/python/work.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

using Name = std::optional<std::string>;

template <class Real>
using Points = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Real>
using Values = nb::ndarray<Real, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

DistanceLayout layout_from(const std::string& name) {
  if (name == "condensed") return DistanceLayout::condensed;
  if (name == "square") return DistanceLayout::square;
  if (name == "lower") return DistanceLayout::lower;
  throw ConfigError(fmt::format("layout is '{}'; give 'condensed', 'square' or 'lower'.", name));
}

template <class Real>
std::vector<Real> computed(const PointSet& points, DistanceLayout layout, const EngineConfig& config,
                           const Name& backend_name) {
  const CurrentDevice kept(backend_name != "cpu");
  const auto backend = open_backend(backend_name);
  if (points.n > 0) check(points);
  if (points.n < 2) return std::vector<Real>(distance_count(points.n, layout));
  DistanceResult result = backend->distances(points, layout, config);
  return std::get<std::vector<Real>>(std::move(result.values));
}

EngineConfig config_of(Precision precision, const Name& map, u32 block) {
  EngineConfig config;
  config.precision = precision;
  config.pair_block = block;
  if (map) config.pair_map = triangle_map_from(*map);
  return config;
}

/// A flat array, which the caller shapes: `out`, or a new one.
template <class Real>
nb::object distances(const Points<Real>& x, const std::string& layout_name, const Name& map, u32 block,
                     const Name& backend, std::optional<Values<Real>> out) {
  if (x.shape(0) > 0xffffffffu || x.shape(1) > 0xffffffffu) {
    throw ConfigError("X has more rows or columns than an index of 32 bits counts; give fewer than 2^32.");
  }
  const DistanceLayout layout = layout_from(layout_name);
  const EngineConfig config = config_of(kPrecisionOf<Real>, map, block);
  const PointSet points{static_cast<u32>(x.shape(0)), static_cast<u32>(x.shape(1)), {x.data(), x.data() + x.size()}};
  if (out && out->size() != distance_count(points.n, layout)) throw ConfigError("out has another size.");
  std::vector<Real> values = run_released(fmt::format("distances of {} points", points.n), [&](SignalWatch&) {
    auto all = computed<Real>(points, layout, config, backend);
    if (out) std::copy(all.begin(), all.end(), out->data());
    return all;
  });
  if (out) return nb::none();
  auto* kept = new std::vector<Real>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Real>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// The same in device memory. The package has checked and keeps the arrays.
void device_distances(const DeviceArray& x, const std::string& layout_name, const Name& map, u32 block,
                      const DeviceArray& out) {
  const DistanceLayout layout = layout_from(layout_name);
  in_type_of(x, [&]<class Real>(Real) {
    const EngineConfig config = config_of(kPrecisionOf<Real>, map, block);
    const nb::gil_scoped_release no_gil;
    enqueue_distances<Real>(x.queue(), x.rows<Real>(), layout, config, out.values<Real>());
  });
}

template <class Real>
void add_distances_of(nb::module_& module) {
  module.def("distances", &distances<Real>, nb::arg("x").noconvert(), nb::arg("layout"), nb::arg("map").none(),
             nb::arg("block"), nb::arg("backend").none(), nb::arg("out").noconvert().none(),
             "The values of a layout in a flat array, or None when they went to out.");
}

}  // namespace

void add_distances(nb::module_& module) {
  add_distances_of<float>(module);
  add_distances_of<double>(module);
  module.def("device_distances", &device_distances, nb::arg("x"), nb::arg("layout"), nb::arg("map").none(),
             nb::arg("block"), nb::arg("out"), "Enqueues the values of a layout, on the stream of x.");
}

}  // namespace tri::python
