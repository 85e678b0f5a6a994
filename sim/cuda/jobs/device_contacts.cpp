// Contacts of spheres in arrays of the caller's: a look at the spheres, a grid that fits them, the search, and a sort.
// The host waits twice: for the look, and for the number of contacts.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/jobs/capture.hpp"
#include "sim/cuda/jobs/device_arrays.hpp"
#include "sim/cuda/kernels/bodies/sphere_arrays.hpp"
#include "sim/cuda/kernels/collisions/grid_search.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_scope.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/float_range.hpp"

namespace tri {
namespace {

using cuda::Sphere;

/// Spheres that are looked at for the extents of the grid.
constexpr u32 kSampled = 4096;
/// Mean number of spheres in a cell, where the radii permit it.
constexpr double kCellSpheres = 6;

/// Cuts one block of memory into arrays. Without a block it counts the bytes.
class Cutter {
 public:
  explicit Cutter(void* block) : block_(static_cast<char*>(block)) {}
  template <class T>
  T* take(u64 count) {
    constexpr u64 kAlignment = 256;
    const u64 at = bytes_;
    bytes_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + at);
  }
  u64 bytes() const { return bytes_; }

 private:
  char* block_;
  u64 bytes_ = 0;
};

/// cut(Cutter&) names the arrays: once to count, and once in memory of that size.
template <class Cut>
auto in_scratch(DeviceAllocator& allocator, const Cut& cut) {
  Cutter counter(nullptr);
  cut(counter);
  Cutter cutter(allocator.scratch(counter.bytes()));
  return cut(cutter);
}

template <class T>
std::vector<T> downloaded(const T* from, u64 count, cudaStream_t stream) {
  std::vector<T> to(count);
  TRI_CUDA(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
  TRI_CUDA(cudaStreamSynchronize(stream));
  return to;
}

/// The packed spheres, and what was found about them.
template <class Real>
struct PackedSpheres {
  Sphere<Real>* all;
  Sphere<Real>* sample;
  cuda::SphereSurvey* survey;
};

/// The checks of host arrays, with their sentences.
template <class Real>
void check_on_host(const Sphere<Real>* spheres, u32 n, cudaStream_t stream) {
  Bodies bodies;
  bodies.resize(n);
  const std::vector<Sphere<Real>> all = downloaded(spheres, n, stream);
  for (u32 i = 0; i < n; ++i) {
    bodies.x[i] = all[i].x, bodies.y[i] = all[i].y, bodies.z[i] = all[i].z, bodies.r[i] = all[i].r;
  }
  check(bodies);
  check_float_spheres(bodies, sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64);
}

/// Whether check_float_spheres() may object to a radius.
bool leaves_float32(double r) { return r > 0 && (4 * r * r < FLT_MIN || 4 * r * r > FLT_MAX); }

/// The box, and a grid where that is not too small for one.
template <class Real>
struct SearchSpace {
  Box box;
  GridChoice<Real> choice;
};

template <class Real>
void take_into_box(const Box& box, Sphere<Real>* spheres, u32 n, cudaStream_t stream) {
  ForceField field;
  field.pair = PairLaw::contact, field.box = box;
  check(field);
  Real low[3], high[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = static_cast<Real>(box.low[axis]), high[axis] = static_cast<Real>(box.high[axis]);
  }
  cuda::enqueue_wrapped<Real>(stream, spheres, n, low, high);
}

/// Packs and checks the spheres, and takes them into the box.
template <class Real>
SearchSpace<Real> survey(const cuda::SphereRows<Real>& rows, const PackedSpheres<Real>& packed,
                         const std::vector<double>& sides, cudaStream_t stream) {
  const u32 step = (rows.n - 1) / kSampled + 1, sampled = (rows.n - 1) / step + 1;
  const cuda::SphereSurvey none;
  TRI_CUDA(cudaMemcpyAsync(packed.survey, &none, sizeof none, cudaMemcpyHostToDevice, stream));
  cuda::enqueue_sphere_rows(stream, rows, packed.all, step, packed.sample, packed.survey);
  cuda::SphereSurvey found;
  TRI_CUDA(cudaMemcpyAsync(&found, packed.survey, sizeof found, cudaMemcpyDeviceToHost, stream));
  const std::vector<Sphere<Real>> sample = downloaded(packed.sample, sampled, stream);
  const double largest = std::bit_cast<double>(found.largest);
  const double smallest = found.largest > 0 ? std::bit_cast<double>(found.smallest) : 0;
  const bool lost = sizeof(Real) == 4 && (leaves_float32(largest) || leaves_float32(smallest));
  if (found.odd > 0 || lost) check_on_host(packed.all, rows.n, stream);
  std::vector<Real> axes[4];
  for (const Sphere<Real>& s : sample) {
    axes[0].push_back(s.x), axes[1].push_back(s.y), axes[2].push_back(s.z), axes[3].push_back(s.r);
  }
  const Spheres<Real> spheres{axes[0].data(), axes[1].data(), axes[2].data(), axes[3].data(), sample.size()};
  const Box box = box_of_sides(sides, largest);
  if (!sides.empty()) take_into_box(box, packed.all, rows.n, stream);
  return {box, make_cell_grid(spheres, largest, u64{rows.n}, box, kCellSpheres)};
}

/// Memory of a search.
template <class Real>
struct SearchArrays {
  cuda::GridArrays<Real> grid;
  unsigned long long* counts;  ///< [2] contacts, and pairs that were tested
  u32* per_body;               ///< [n], or null
};

template <class Real>
SearchArrays<Real> search_arrays(DeviceAllocator& allocator, u32 n, u32 cells, bool per_body) {
  return in_scratch(allocator, [&](Cutter& cut) {
    SearchArrays<Real> a{};
    a.grid.cell = cut.take<u32>(n), a.grid.slot = cut.take<u32>(n), a.grid.body = cut.take<u32>(n);
    a.grid.begin = cut.take<u32>(u64{cells} + 1);
    a.grid.sorted = cut.take<Sphere<Real>>(n);
    a.grid.strips = cut.take<cuda::CellStrip>(cuda::grid_strips(n, cells));
    a.grid.strip_count = cut.take<u32>(1);
    a.grid.scan = cut.take<unsigned char>(cuda::grid_scan_bytes(cells));
    a.counts = cut.take<unsigned long long>(2);
    if (per_body) a.per_body = cut.take<u32>(n);
    return a;
  });
}

template <class Real>
void enqueue_search(cudaStream_t stream, const SearchSpace<Real>& space, const Sphere<Real>* spheres, u32 n,
                    const SearchArrays<Real>& arrays, uint2* pairs, u64 capacity) {
  TRI_CUDA(cudaMemsetAsync(arrays.counts, 0, 2 * sizeof *arrays.counts, stream));
  if (arrays.per_body != nullptr) TRI_CUDA(cudaMemsetAsync(arrays.per_body, 0, n * sizeof(u32), stream));
  const cuda::CollisionOutput out{arrays.counts, arrays.per_body, pairs, capacity};
  const laws::NearestImage<Real> image(space.box);
  if (!space.choice.usable) {
    constexpr TriangleMapId map = TriangleMapId::lambda;
    cuda::prepare_collision_tiles<Real>(map, n, cuda::collision_tile_for(n), 3, spheres, out, image).enqueue(stream);
    return;
  }
  cuda::enqueue_grid_search<Real>(stream, TriangleMapId::lambda, space.choice.grid, n, spheres, arrays.grid, out, image,
                                  arrays.counts + 1);
}

uint2* pair_list(DeviceAllocator& allocator, u64 capacity) {
  return static_cast<uint2*>(allocator.scratch(std::max<u64>(1, capacity) * sizeof(uint2)));
}

}  // namespace

template <class Real>
void device_contacts(const DeviceQueue& queue, const DeviceRows<Real>& centres, const Real* radii, Real radius,
                     const std::vector<double>& sides, bool per_body, DeviceAllocator& allocator) {
  if (centres.columns < 1 || centres.columns > 3) {
    throw ConfigError(fmt::format("x has {} columns; give 1 to 3.", centres.columns));
  }
  if (centres.n > cuda::kMaxElements) {
    throw ConfigError(
        fmt::format("{} spheres are more than a GPU takes; give {} or fewer.", centres.n, cuda::kMaxElements));
  }
  const cuda::DeviceScope current(queue.device);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  cuda::refuse_capture(stream,
                       "contacts waits for the GPU, which a capture into a CUDA graph cannot; call it outside.");
  const u32 n = static_cast<u32>(centres.n);
  if (n == 0) {
    allocator.result(0, per_body ? 0 : 2);
    return;
  }
  const auto packed = in_scratch(allocator, [&](Cutter& cut) {
    return PackedSpheres<Real>{cut.take<Sphere<Real>>(n), cut.take<Sphere<Real>>(kSampled),
                               cut.take<cuda::SphereSurvey>(1)};
  });
  const SearchSpace<Real> space =
      survey<Real>({centres.values, n, static_cast<u32>(centres.columns), radii, radius}, packed, sides, stream);
  const SearchArrays<Real> arrays = search_arrays<Real>(allocator, n, space.choice.grid.count(), per_body);
  if (per_body) {
    enqueue_search(stream, space, packed.all, n, arrays, nullptr, 0);
    cuda::enqueue_widened(stream, arrays.per_body, n, allocator.result(n, 0));
    return;
  }
  u64 capacity = std::min(triangular(u64{n} - 1), cuda::kListedPairs * n);
  uint2* pairs = pair_list(allocator, capacity);
  enqueue_search(stream, space, packed.all, n, arrays, pairs, capacity);
  u64 count = downloaded(arrays.counts, 1, stream)[0];
  if (count > capacity) {
    capacity = count;
    pairs = pair_list(allocator, capacity);
    enqueue_search(stream, space, packed.all, n, arrays, pairs, capacity);
  }
  i64* const out = allocator.result(count, 2);
  if (count == 0) return;
  uint2* const spare = pair_list(allocator, count);
  void* const scratch = allocator.scratch(cuda::pair_sort_bytes(count));
  cuda::enqueue_sorted_pairs(stream, n, pairs, count, spare, scratch, out);
}

template void device_contacts(const DeviceQueue&, const DeviceRows<float>&, const float*, float,
                              const std::vector<double>&, bool, DeviceAllocator&);
template void device_contacts(const DeviceQueue&, const DeviceRows<double>&, const double*, double,
                              const std::vector<double>&, bool, DeviceAllocator&);

}  // namespace tri
