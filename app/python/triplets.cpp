// triplets: counts of triples of points by their three sides.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "app/python/choices.hpp"
#include "app/python/device_arrays.hpp"
#include "app/python/parts.hpp"
#include "app/python/work.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

template <class Real>
using Places = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Counts by f(bins, config), without the GIL, as (counts, outside).
template <class F>
nb::tuple counts_by(u64 n, std::vector<double> edges, const std::optional<std::string>& map, F&& f) {
  EngineConfig config;
  config.precision = Precision::fp64;
  if (map) config.triple_map = tetra_map_from(*map), config.arithmetic = Arithmetic::float32;  // no products
  const SideBins bins{std::move(edges)};
  auto* result = new TripleCounts;
  const nb::capsule owner(result, [](void* p) noexcept { delete static_cast<TripleCounts*>(p); });
  *result = run_released(fmt::format("triples of {} points", n), [&](SignalWatch&) { return f(bins, config); });
  const std::size_t b = result->bins;
  return nb::make_tuple(nb::ndarray<nb::numpy, u64, nb::ndim<3>>(result->counts.data(), {b, b, b}, owner),
                        result->outside);
}

TripleCounts counted(const PointSet& points, const SideBins& bins, const EngineConfig& config,
                     const std::optional<std::string>& backend_name, int device) {
  check(bins);
  const CurrentDevice kept(backend_name != "cpu");
  const auto backend = open_backend(backend_name, device);
  if (points.n > 0) check(points);
  if (points.n >= 3) return backend->triplets(points, bins, config);
  const std::size_t b = bins.size();
  return {bins.size(), std::vector<u64>(b * b * b)};
}

void check_index(u64 rows, u64 columns) {
  if (rows > 0xffffffffu || columns > 0xffffffffu) {
    throw ConfigError("x has more rows or columns than an index of 32 bits counts; give fewer than 2^32.");
  }
}

template <class Real>
nb::tuple triplets(const Places<Real>& x, std::vector<double> edges, const std::optional<std::string>& map,
                   const std::optional<std::string>& backend) {
  check_index(x.shape(0), x.shape(1));
  const PointSet points{static_cast<u32>(x.shape(0)), static_cast<u32>(x.shape(1)), {x.data(), x.data() + x.size()}};
  return counts_by(points.n, std::move(edges), map, [&](const SideBins& bins, const EngineConfig& config) {
    return counted(points, bins, config, backend, 0);
  });
}

/// Of points in device memory.
template <class Real>
TripleCounts counted_there(const DeviceArray& x, const SideBins& bins, const EngineConfig& config) {
  if (auto counts = device_triplets<Real>(x.queue(), x.rows<Real>(), bins, config)) return *std::move(counts);
  std::vector<Real> values(x.n * x.columns);
  copy_to_host(x.queue(), x.values<const Real>(), values.size() * sizeof(Real), values.data());
  const PointSet points{static_cast<u32>(x.n), static_cast<u32>(x.columns), {values.begin(), values.end()}};
  return counted(points, bins, config, "cuda", x.device);
}

nb::tuple device_triplets_of(const DeviceArray& x, std::vector<double> edges, const std::optional<std::string>& map) {
  check_index(x.n, x.columns);
  return counts_by(x.n, std::move(edges), map, [&](const SideBins& bins, const EngineConfig& config) {
    TripleCounts counts;
    in_type_of(x, [&]<class Real>(Real) { counts = counted_there<Real>(x, bins, config); });
    return counts;
  });
}

template <class Real>
void add_triplets_of(nb::module_& module) {
  module.def("triplets", &triplets<Real>, nb::arg("x").noconvert(), nb::arg("edges"), nb::arg("map").none(),
             nb::arg("backend").none(), "The counts of triples by the bins of their sides, and of those outside.");
}

}  // namespace

void add_triplets(nb::module_& module) {
  add_triplets_of<float>(module);
  add_triplets_of<double>(module);
  module.def("device_triplets", &device_triplets_of, nb::arg("x"), nb::arg("edges"), nb::arg("map").none(),
             "The same of device memory.");
}

}  // namespace tri::python
