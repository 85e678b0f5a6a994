// The jobs of the module: distances, contacts, triplets.

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/python/parts.hpp"
#include "sim/backend/broad_phase.hpp"
#include "sim/base/machine.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

DistanceLayout layout_from(const std::string& name) {
  if (name == "condensed") return DistanceLayout::condensed;
  if (name == "square") return DistanceLayout::square;
  if (name == "lower") return DistanceLayout::lower;
  if (name == "blocks") return DistanceLayout::blocks;
  throw ConfigError(fmt::format("layout is '{}'; give 'condensed', 'square', 'lower' or 'blocks'.", name));
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

void check_index(const char* name, const GivenArray& x) {
  if (x.n > 0xffffffffu || x.columns > 0xffffffffu) {
    throw ConfigError(
        fmt::format("{} has more rows or columns than an index of 32 bits counts; give fewer than 2^32.", name));
  }
}

EngineConfig config_of(Precision precision, const Name& map, u32 block) {
  EngineConfig config;
  config.precision = precision;
  config.pair_block = block;
  if (map) config.pair_map = triangle_map_from(*map);
  return config;
}

/// `out`, or in host memory a new flat array, which is returned. On a device the work is only enqueued.
nb::object distances(const GivenArray& x, const std::string& layout_name, const Name& map, u32 block,
                     const Name& backend, const GivenArray* out) {
  const DistanceLayout layout = layout_from(layout_name);
  nb::object made = nb::none();
  in_type_of(x, [&]<class Real>(Real) {
    const EngineConfig config = config_of(kPrecisionOf<Real>, map, block);
    if (!x.on_host()) {
      const ReleasedGil no_gil;
      return enqueue_distances<Real>(x.queue(), x.rows<Real>(), layout, config, out->values<Real>());
    }
    check_index("X", x);
    const PointSet points{static_cast<u32>(x.n), static_cast<u32>(x.columns), doubles_of<Real>(x)};
    const u64 count = distance_count(points.n, layout);
    if (out == nullptr) made = new_values<Real>(points.n, layout);
    Real* const to = out != nullptr ? out->values<Real>() : nb::cast<nb::ndarray<Real, nb::ndim<1>>>(made).data();
    run_released(fmt::format("distances of {} points", points.n), [&](SignalWatch&) {
      with_arrays([&] { compute<Real>(points, layout, config, backend, {to, count}); });
    });
  });
  return made;
}

}  // namespace

void add_distances(nb::module_& module) {
  module.def("distances", &distances, nb::arg("x"), nb::arg("layout"), nb::arg("map").none(), nb::arg("block"),
             nb::arg("backend").none(), nb::arg("out").none(),
             "The values of a layout in a flat array, or None when they go to out.");
}

// contacts: pairs of spheres that overlap or touch.

namespace {

/// [2 k] the pairs (i, j) with i < j, sorted.
std::vector<i64> sorted_contacts(Backend& backend, const Bodies& bodies, const EngineConfig& config, const Box& box) {
  CollisionResult result = backend.collisions(bodies, config, box);
  const double bytes = 2.0 * sizeof(i64) * static_cast<double>(result.pairs.size());
  require_memory(bytes, fmt::format("the array of {} contacts", result.pairs.size()),
                 "Give smaller radii, or per_body=True");
  // (i, j), i > j, are sorted by i: those of each j come in that order, too.
  const u64 count = result.pairs.size();
  LoopProgress progress(2 * count);
  u64 done = 0;
  std::vector<u64> place(bodies.size() + 1);
  for (const auto& [i, j] : result.pairs) ++place[j + 1], progress.at(++done);
  for (std::size_t j = 0; j < bodies.size(); ++j) place[j + 1] += place[j];
  std::vector<i64> flat(2 * count);
  for (const auto& [i, j] : result.pairs) {
    const u64 at = 2 * place[j]++;
    flat[at] = j, flat[at + 1] = i;
    progress.at(++done);
  }
  return flat;
}

/// Memory of a device while it lives.
class BlockMemory final : public DeviceAllocator {
 public:
  explicit BlockMemory(const DeviceQueue& queue) : queue_(queue) {}
  void* scratch(u64 bytes) override {
    return blocks_.emplace_back(std::make_unique<DeviceBlock>(queue_, std::max<u64>(1, bytes)))->data();
  }
  i64* result(u64 rows, u64 columns) override {
    return result_ = static_cast<i64*>(scratch(rows * std::max<u64>(1, columns) * sizeof(i64)));
  }
  template <class Real>
  const Real* copy_of(const Real* values, u64 count) {
    void* const there = scratch(count * sizeof(Real));
    copy_to_device(queue_, values, count * sizeof(Real), there);
    return static_cast<const Real*>(there);
  }
  const i64* found() const { return result_; }

 private:
  DeviceQueue queue_;
  std::vector<std::unique_ptr<DeviceBlock>> blocks_;
  i64* result_ = nullptr;
};

/// [n] the contacts of each sphere, by the search of arrays in device memory, which keeps no list.
template <class Real>
std::vector<i64> counts_on_device(const GivenBodies& given, const std::vector<double>& box) {
  const DeviceQueue queue;
  BlockMemory memory(queue);
  const auto [values, n, columns] = given.positions.rows<Real>();
  const DeviceRows<Real> centres{memory.copy_of(values, n * columns), n, columns};
  const Real* const radii = given.radii == nullptr ? nullptr : memory.copy_of(given.radii->values<const Real>(), n);
  device_contacts<Real>(queue, centres, radii, static_cast<Real>(given.radius), box, true, memory);
  std::vector<i64> counts(n);
  copy_to_host(queue, memory.found(), n * sizeof(i64), counts.data());
  return counts;
}

/// In host memory.
template <class Real>
nb::object contacts_here(const GivenBodies& given, const std::vector<double>& box, bool per_body,
                         const Name& backend_name) {
  const GivenArray& x = given.positions;
  if (x.columns < 1 || x.columns > 3) throw ConfigError(fmt::format("x has {} columns; give 1 to 3.", x.columns));
  const Bodies bodies = bodies_of<Real>(given);
  EngineConfig config;
  config.precision = kPrecisionOf<Real>;
  const Box walls = box_of_sides(box, largest_radius(bodies));
  const auto compute = [&]() -> std::vector<i64> {
    const CurrentDevice kept(backend_name != "cpu");
    const auto backend = open_backend(backend_name);
    if (x.n == 0) return {};
    if (!per_body) return sorted_contacts(*backend, bodies, config, walls);
    if (backend->info().name == "cuda") return counts_on_device<Real>(given, box);
    const std::vector<u32> counts = backend->contact_counts(bodies, config, walls);
    return {counts.begin(), counts.end()};
  };
  auto made =
      run_released(fmt::format("contacts of {} spheres", x.n), [&](SignalWatch&) { return with_arrays(compute); });
  const std::size_t count = made.size();
  return per_body ? numpy_array(std::move(made), {count}) : numpy_array(std::move(made), {count / 2, 2});
}

/// Memory of the library of the caller's array.
class LibraryMemory final : public DeviceAllocator {
 public:
  explicit LibraryMemory(nb::object allocate) : allocate_(std::move(allocate)) {}
  void* scratch(u64 bytes) override {
    const AcquiredGil gil;
    return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(allocate_("uint8", nb::make_tuple(bytes))));
  }
  i64* result(u64 rows, u64 columns) override {
    const AcquiredGil gil;
    const nb::tuple shape = columns == 0 ? nb::make_tuple(rows) : nb::make_tuple(rows, columns);
    return reinterpret_cast<i64*>(nb::cast<std::uintptr_t>(allocate_("int64", shape)));
  }

 private:
  nb::object allocate_;
};

/// A new array in host memory. On a device, of the arrays that are asked of allocate(dtype, shape), which returns their
/// address, the one of int64 is the result.
nb::object contacts(const GivenArray& x, const GivenArray* r, double radius, const std::vector<double>& box,
                    bool per_body, const Name& backend, nb::object allocate) {
  if (r != nullptr && r->n != x.n) {
    throw ConfigError(fmt::format("r holds {} radii for {} spheres; give one a sphere.", r->n, x.n));
  }
  GivenBodies given{x};
  given.radii = r, given.radius = radius;
  LibraryMemory memory(std::move(allocate));
  nb::object made = nb::none();
  in_type_of(x, [&]<class Real>(Real) {
    if (x.on_host()) {
      made = contacts_here<Real>(given, box, per_body, backend);
      return;
    }
    const Real* const radii = r == nullptr ? nullptr : r->values<const Real>();
    const ReleasedGil no_gil;
    device_contacts<Real>(x.queue(), x.rows<Real>(), radii, static_cast<Real>(radius), box, per_body, memory);
  });
  return made;
}

}  // namespace

void add_contacts(nb::module_& module) {
  module.def("contacts", &contacts, nb::arg("x"), nb::arg("r").none(), nb::arg("radius"), nb::arg("box"),
             nb::arg("per_body"), nb::arg("backend").none(), nb::arg("allocate"),
             "The pairs (i, j), i < j, sorted, of spheres that overlap or touch; or how many each has.");
}

// triplets: counts of triples of points by their three sides.

namespace {

/// Throws for bins that are none.
TripleCounts counted(const PointSet& points, const SideBins& bins, const EngineConfig& config, const Name& backend_name,
                     int device) {
  check(bins);
  const CurrentDevice kept(backend_name != "cpu");
  const auto backend = open_backend(backend_name, device);
  if (points.n > 0) check(points);
  if (points.n >= 3) return backend->triplets(points, bins, config);
  const std::size_t b = bins.size();
  return {bins.size(), std::vector<u64>(b * b * b)};
}

template <class Real>
TripleCounts counts_of(const GivenArray& x, const SideBins& bins, const EngineConfig& config, const Name& backend) {
  if (!x.on_host()) {
    if (auto counts = device_triplets<Real>(x.queue(), x.rows<Real>(), bins, config)) return *std::move(counts);
  }
  const PointSet points{static_cast<u32>(x.n), static_cast<u32>(x.columns), doubles_of<Real>(x)};
  return counted(points, bins, config, x.on_host() ? backend : "cuda", std::max(0, x.device));
}

/// (counts, outside)
nb::tuple triplets(const GivenArray& x, std::vector<double> edges, const Name& map, const Name& backend) {
  check_index("x", x);
  EngineConfig config;
  config.precision = Precision::fp64;
  if (map) config.triple_map = tetra_map_from(*map), config.arithmetic = Arithmetic::float32;  // no products
  const SideBins bins{std::move(edges)};
  TripleCounts result = run_released(fmt::format("triples of {} points", x.n), [&](SignalWatch&) {
    return x.is_double ? counts_of<double>(x, bins, config, backend) : counts_of<float>(x, bins, config, backend);
  });
  const std::size_t b = result.bins;
  return nb::make_tuple(numpy_array(std::move(result.counts), {b, b, b}), result.outside);
}

}  // namespace

void add_triplets(nb::module_& module) {
  module.def("triplets", &triplets, nb::arg("x"), nb::arg("edges"), nb::arg("map").none(), nb::arg("backend").none(),
             "The counts of triples by the bins of their sides, and of those outside.");
}

}  // namespace tri::python
