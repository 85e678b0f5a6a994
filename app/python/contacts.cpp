// contacts: pairs of spheres that overlap or touch.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/python/choices.hpp"
#include "app/python/device_arrays.hpp"
#include "app/python/parts.hpp"
#include "app/python/sentences.hpp"
#include "app/python/work.hpp"
#include "sim/backend/broad_phase.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

template <class Real>
using Centres = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Real>
using Radii = nb::ndarray<const Real, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// [2 k] the pairs (i, j) with i < j, sorted.
std::vector<i64> sorted_contacts(Backend& backend, const Bodies& bodies, const EngineConfig& config, const Box& box) {
  CollisionResult result = backend.collisions(bodies, config, box);
  for (auto& [i, j] : result.pairs) std::swap(i, j);
  std::sort(result.pairs.begin(), result.pairs.end());
  std::vector<i64> flat;
  flat.reserve(2 * result.pairs.size());
  for (const auto& [i, j] : result.pairs) flat.push_back(i), flat.push_back(j);
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
std::vector<i64> counts_on_device(const Centres<Real>& x, const Radii<Real>& r, const std::vector<double>& box) {
  const DeviceQueue queue;
  BlockMemory memory(queue);
  const u64 n = x.shape(0), features = x.shape(1);
  const DeviceRows<Real> centres{memory.copy_of(x.data(), n * features), n, features};
  device_contacts<Real>(queue, centres, memory.copy_of(r.data(), n), Real(0), box, true, memory);
  std::vector<i64> counts(n);
  copy_to_host(queue, memory.found(), n * sizeof(i64), counts.data());
  return counts;
}

template <class Real>
nb::object contacts(const Centres<Real>& x, const Radii<Real>& r, const std::vector<double>& box, bool per_body,
                    const std::optional<std::string>& backend_name) {
  const std::size_t n = x.shape(0), features = x.shape(1);
  if (features < 1 || features > 3) throw ConfigError(fmt::format("x has {} columns; give 1 to 3.", features));
  if (r.size() != n) throw ConfigError(fmt::format("r holds {} radii for {} spheres; give one a sphere.", r.size(), n));
  Bodies bodies;
  bodies.resize(n);
  std::vector<double>* const axes[] = {&bodies.x, &bodies.y, &bodies.z};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < features; ++k) (*axes[k])[i] = x.data()[i * features + k];
    bodies.r[i] = r.data()[i];
  }
  EngineConfig config;
  config.precision = kPrecisionOf<Real>;
  const Box walls = box_of_sides(box, largest_radius(bodies));
  auto* pairs = new std::vector<i64>;
  const nb::capsule owner(pairs, [](void* p) noexcept { delete static_cast<std::vector<i64>*>(p); });
  const auto compute = [&]() -> std::vector<i64> {
    const CurrentDevice kept(backend_name != "cpu");
    const auto backend = open_backend(backend_name);
    if (n == 0) return {};
    if (!per_body) return sorted_contacts(*backend, bodies, config, walls);
    if (backend->info().name == "cuda") return counts_on_device<Real>(x, r, box);
    const std::vector<u32> counts = backend->contact_counts(bodies, config, walls);
    return {counts.begin(), counts.end()};
  };
  *pairs = run_released(fmt::format("contacts of {} spheres", n), [&](SignalWatch&) { return with_arrays(compute); });
  if (per_body) return nb::cast(nb::ndarray<nb::numpy, i64, nb::ndim<1>>(pairs->data(), {pairs->size()}, owner));
  return nb::cast(nb::ndarray<nb::numpy, i64, nb::ndim<2>>(pairs->data(), {pairs->size() / 2, 2}, owner));
}

/// Memory of the library of the caller's array.
class LibraryMemory final : public DeviceAllocator {
 public:
  explicit LibraryMemory(nb::object allocate) : allocate_(std::move(allocate)) {}
  void* scratch(u64 bytes) override {
    const TakenGil gil;
    return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(allocate_("uint8", nb::make_tuple(bytes))));
  }
  i64* result(u64 rows, u64 columns) override {
    const TakenGil gil;
    const nb::tuple shape = columns == 0 ? nb::make_tuple(rows) : nb::make_tuple(rows, columns);
    return reinterpret_cast<i64*>(nb::cast<std::uintptr_t>(allocate_("int64", shape)));
  }

 private:
  nb::object allocate_;
};

/// In device memory. Of the arrays that are asked of allocate(dtype, shape), which returns their address, the one of
/// int64 is the result.
void contacts_on_device(const DeviceArray& x, const DeviceArray* r, double radius, const std::vector<double>& box,
                        bool per_body, nb::object allocate) {
  if (r != nullptr && r->n != x.n) {
    throw ConfigError(fmt::format("r holds {} radii for {} spheres; give one a sphere.", r->n, x.n));
  }
  LibraryMemory memory(std::move(allocate));
  in_type_of(x, [&]<class Real>(Real) {
    const Real* const radii = r == nullptr ? nullptr : r->values<const Real>();
    const ReleasedGil no_gil;
    device_contacts<Real>(x.queue(), x.rows<Real>(), radii, static_cast<Real>(radius), box, per_body, memory);
  });
}

template <class Real>
void add_contacts_of(nb::module_& module) {
  module.def("contacts", &contacts<Real>, nb::arg("x").noconvert(), nb::arg("r").noconvert(), nb::arg("box"),
             nb::arg("per_body"), nb::arg("backend").none(),
             "The pairs (i, j), i < j, sorted, of spheres that overlap or touch; or how many each has.");
}

}  // namespace

void add_contacts(nb::module_& module) {
  add_contacts_of<float>(module);
  add_contacts_of<double>(module);
  module.def("device_contacts", &contacts_on_device, nb::arg("x"), nb::arg("r").none(), nb::arg("radius"),
             nb::arg("box"), nb::arg("per_body"), nb::arg("allocate"),
             "The same of device memory, into memory of allocate().");
}

}  // namespace tri::python
