// pdist: distances of all pairs of points.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <span>
#include <vector>

#include "app/python/choices.hpp"
#include "app/python/device_arrays.hpp"
#include "app/python/parts.hpp"
#include "app/python/sentences.hpp"
#include "app/python/work.hpp"
#include "sim/base/memory.hpp"
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
void compute(const PointSet& points, DistanceLayout layout, const EngineConfig& config, const Name& backend_name,
             std::span<Real> to) {
  const CurrentDevice kept(backend_name != "cpu");
  const auto backend = open_backend(backend_name);
  if (points.n > 0) check(points);
  std::fill(to.begin(), points.n < 2 ? to.end() : to.begin(), Real{0});
  if (points.n >= 2) backend->distance_rows(points, layout, config)->rows_into(0, points.n, to);
}

/// A new array of NumPy, whose large ones are in huge pages.
template <class Real>
nb::object new_values(u32 n, DistanceLayout layout) {
  const auto bytes = [&](u64 points) { return sizeof(Real) * static_cast<double>(distance_count(points, layout)); };
  if (bytes(n) >= 0x1p26) {  // to read how much memory is free takes longer than to compute few
    require_memory(bytes(n), fmt::format("the output of the distances of {} points", n),
                   size_hint("Give ", largest_that_fits(bytes, available_memory()),
                             sizeof(Real) == 8 ? " points or fewer, or float32" : " points or fewer"));
  }
  return nb::module_::import_("numpy").attr("empty")(distance_count(n, layout), sizeof(Real) == 8 ? "f8" : "f4");
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
  nb::object made = out ? nb::none() : new_values<Real>(points.n, layout);
  const Values<Real> values = out ? *out : nb::cast<Values<Real>>(made);
  run_released(fmt::format("distances of {} points", points.n), [&](SignalWatch&) {
    with_arrays([&] { compute<Real>(points, layout, config, backend, {values.data(), values.size()}); });
  });
  return made;
}

/// The same in device memory. The package has checked and keeps the arrays.
void device_distances(const DeviceArray& x, const std::string& layout_name, const Name& map, u32 block,
                      const DeviceArray& out) {
  const DistanceLayout layout = layout_from(layout_name);
  in_type_of(x, [&]<class Real>(Real) {
    const EngineConfig config = config_of(kPrecisionOf<Real>, map, block);
    const ReleasedGil no_gil;
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
