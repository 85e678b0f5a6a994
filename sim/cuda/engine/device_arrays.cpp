#include "sim/cuda/engine/device_arrays.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/checks.hpp"

namespace tri {
namespace {

cudaStream_t stream_of(const DeviceQueue& queue) { return static_cast<cudaStream_t>(queue.stream); }

void copy_and_wait(const DeviceQueue& queue, const void* from, u64 bytes, void* to, cudaMemcpyKind kind) {
  const cuda::DeviceScope current(queue.device);
  const auto stream = stream_of(queue);
  cuda::refuse_capture(stream,
                       "this copies to or from the host, for which a capture into a CUDA graph cannot wait; call it "
                       "outside.");
  if (bytes > 0) TRI_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream));
  TRI_CUDA(cudaStreamSynchronize(stream));
}

}  // namespace

template <class Real>
void enqueue_distances(const DeviceQueue& queue, const DeviceRows<Real>& points, DistanceLayout layout,
                       const EngineConfig& config, Real* out) {
  if (points.columns < 1 || points.columns > PointSet::kMaxFeatures) {
    throw ConfigError(
        fmt::format("the points have {} features; give 1 to {}.", points.columns, PointSet::kMaxFeatures));
  }
  if (points.n > cuda::kMaxElements) {
    throw ConfigError(
        fmt::format("{} points are more than a GPU takes; give {} or fewer.", points.n, cuda::kMaxElements));
  }
  if (distance_count(points.n, layout) == 0) return;
  const cuda::DeviceScope current(queue.device);
  const auto stream = stream_of(queue);
  const MapInfo& map = info(config.pair_map);
  if (map.table_bytes != nullptr) {
    cuda::refuse_capture(stream,
                         fmt::format("map {} needs a table in GPU memory, which a capture into a CUDA graph cannot "
                                     "allocate; capture another map.",
                                     map.name));
  }
  const u32 n = static_cast<u32>(points.n);
  const cuda::KernelChoice kernel =
      cuda::choose_kernel(config.pair_map, n, config.pair_block, cuda::kDistanceTile, {cuda::kDistanceTile});
  const auto rows = cuda::row_points(points.values, static_cast<u32>(points.columns));
  const cuda::DistanceRowRange all{0, n};
  const cuda::PreparedLaunch work =
      kernel.tiles ? cuda::prepare_distance_tiles<Real>(config.pair_map, n, all, layout, rows, out)
                   : cuda::prepare_distance_elements<Real>(config.pair_map, n, all, kernel.block, layout, rows, out);
  work.enqueue(stream);
}

DeviceBlock::DeviceBlock(const DeviceQueue& queue, u64 bytes) : device_(queue.device) {
  const cuda::DeviceScope current(device_);
  data_ = cuda::allocate_device_memory(bytes, 1);
}

DeviceBlock::~DeviceBlock() {
  if (data_ == nullptr) return;
  try {
    const cuda::DeviceScope current(device_);
    TRI_CUDA_NOTHROW(cudaFree(data_));
  } catch (const Error& e) {
    std::fprintf(stderr, "warning: %s\n", e.what());
  }
}

CurrentDevice::CurrentDevice(bool keep) : keep_(keep) {
  if (keep_) context_ = cuda::current_context();
}

CurrentDevice::~CurrentDevice() {
  if (keep_) cuda::set_current_context(context_);
}

void copy_to_host(const DeviceQueue& queue, const void* from, u64 bytes, void* to) {
  copy_and_wait(queue, from, bytes, to, cudaMemcpyDeviceToHost);
}

void copy_to_device(const DeviceQueue& queue, const void* from, u64 bytes, void* to) {
  copy_and_wait(queue, from, bytes, to, cudaMemcpyHostToDevice);
}

void wait_for(const DeviceQueue& queue) {
  const cuda::DeviceScope current(queue.device);
  TRI_CUDA(cudaStreamSynchronize(stream_of(queue)));
}

template void enqueue_distances(const DeviceQueue&, const DeviceRows<float>&, DistanceLayout, const EngineConfig&,
                                float*);
template void enqueue_distances(const DeviceQueue&, const DeviceRows<double>&, DistanceLayout, const EngineConfig&,
                                double*);

// Contacts of spheres in arrays of the caller's: a look at the spheres, a grid that fits them, the search, and a sort.
// The host waits twice: for the look, and for the number of contacts.

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

/// Whether check_images() has nothing against spheres of radius r at the corners low and high.
bool places_known(const std::array<double, 3>& low, const std::array<double, 3>& high, double r, const Box& box,
                  Precision precision) {
  Bodies corners;
  corners.resize(2);
  corners.x = {low[0], high[0]}, corners.y = {low[1], high[1]}, corners.z = {low[2], high[2]}, corners.r = {r, r};
  try {
    check_images(corners, box, true, precision);
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

/// For the checks of host arrays, with their sentences.
template <class Real>
Bodies on_host(const Sphere<Real>* spheres, u32 n, cudaStream_t stream) {
  Bodies bodies;
  bodies.resize(n);
  const std::vector<Sphere<Real>> all = downloaded(spheres, n, stream);
  for (u32 i = 0; i < n; ++i) {
    bodies.x[i] = all[i].x, bodies.y[i] = all[i].y, bodies.z[i] = all[i].z, bodies.r[i] = all[i].r;
  }
  return bodies;
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
void wrap_into_box(const Box& box, Sphere<Real>* spheres, u32 n, cudaStream_t stream) {
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
  if (found.odd > 0 || lost) {
    const Bodies bodies = on_host(packed.all, rows.n, stream);
    check(bodies);
    check_float_spheres(bodies, kPrecisionOf<Real>);
  }
  ForceField field;
  const Box box = field.box = box_of_sides(sides, largest);
  field.pair = PairLaw::contact;
  if (!sides.empty()) check(field);
  const double far = std::bit_cast<double>(found.farthest);
  const auto known = [&](double r) {
    return places_known({-far, -far, -far}, {far, far, far}, r, box, kPrecisionOf<Real>);
  };
  if (!known(smallest) || !known(0)) {
    check_images(on_host(packed.all, rows.n, stream), box, true, kPrecisionOf<Real>);
  }
  std::vector<Real> axes[4];
  for (const Sphere<Real>& s : sample) {
    axes[0].push_back(s.x), axes[1].push_back(s.y), axes[2].push_back(s.z), axes[3].push_back(s.r);
  }
  const Spheres<Real> spheres{axes[0].data(), axes[1].data(), axes[2].data(), axes[3].data(), sample.size()};
  if (!sides.empty()) wrap_into_box(box, packed.all, rows.n, stream);
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

// Forces on bodies in arrays of the caller's: a look at the bodies, and the sums of the laws as an engine has them.

namespace {

using cuda::DeviceBuffer;
using cuda::Vec4;

/// Bodies that are looked at for a line, and for a typed law.
constexpr u64 kSampledBodies = 4096;

/// Of BodySurvey, as numbers.
struct Found {
  double heaviest;
  std::array<double, 3> low, high;
};

double number_of(unsigned long long ordered) { return std::bit_cast<double>(cuda::bits_in_order(ordered)); }

bool is_normal(double value, const FloatLimits& limits) { return value >= limits.least && value <= limits.largest; }

/// Whether check_float_range() has nothing against the gravity of these bodies: none is farther from the centre of mass
/// than the diagonal is long.
bool gravity_fits(const GravityParams& gravity, u64 n, double heaviest, double diagonal2, const FloatLimits& limits) {
  const double G = std::abs(gravity.G);
  if (G == 0 || !(heaviest > 0) || n < 2) return true;
  const double r = std::sqrt(diagonal2 + gravity.softening * gravity.softening);
  const double least = std::min({1.0, G, G * heaviest}) / (r * r * r);
  return is_normal(G * heaviest, limits) && least >= limits.least;
}

/// The same of triples without lennard-jones. The spacing of the bodies is one between that of two at the ends of the
/// longest side, all others in their middle, and that of all at the ends of the diagonal.
bool triples_fit(double nu, u64 n, double longest, double diagonal2, const FloatLimits& limits) {
  if (nu == 0 || n < 3) return true;
  const double count = static_cast<double>(n), across = std::cbrt(count);
  for (const double r : {2 * longest / std::sqrt(2 * count) / across, std::sqrt(diagonal2) / across}) {
    for (const double term : {std::pow(r, 6), std::pow(r, -6), 3 * std::abs(nu) / std::pow(r, 11)}) {
      if (!is_normal(term, limits)) return false;
    }
  }
  return true;
}

/// Whether check_device_range() would pass, typed laws apart. Throws as it does for parameters.
bool fits(const Found& found, u64 n, const ForceField& field, Precision precision) {
  Bodies three;  // at one place, without mass: of these only the parameters can be refused
  three.resize(3);
  check_device_range(three, field, precision);
  const double most = device_reach(precision);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(found.low[axis] >= -most && found.high[axis] <= most)) return false;
  }
  if (!places_known(found.low, found.high, 0, field.box, precision)) return false;
  const FloatLimits limits = limits_of(precision);
  double longest = 0, diagonal2 = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double side = found.high[axis] - found.low[axis];
    longest = std::max(longest, side), diagonal2 += side * side;
  }
  if (field.pair == PairLaw::gravity && !gravity_fits(field.gravity, n, found.heaviest, diagonal2, limits))
    return false;
  const bool triples = field.triple == TripleLaw::axilrod_teller && field.pair != PairLaw::lennard_jones;
  return !triples || triples_fit(field.axilrod_teller.nu, n, longest, diagonal2, limits);
}

/// Packs the bodies. Nothing for values that are to be looked at on the host.
template <class Real>
std::optional<Found> survey(cudaStream_t stream, const DeviceBodies<Real>& bodies, const Box& box, Vec4<Real>* packed) {
  cuda::WrapWalls<Real> walls{{}, {}, box.boundary == Boundary::periodic};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    walls.low[axis] = static_cast<Real>(box.low[axis]), walls.high[axis] = static_cast<Real>(box.high[axis]);
  }
  DeviceBuffer<cuda::BodySurvey> survey(1);
  const std::array<cuda::BodySurvey, 1> none{};
  survey.upload(none, stream);
  cuda::enqueue_body_rows<Real>(stream,
                                {bodies.positions, static_cast<u32>(bodies.n), bodies.masses, bodies.mass, bodies.radii,
                                 bodies.radius, bodies.velocities},
                                walls, packed, survey.data());
  const cuda::BodySurvey found = survey.download(stream)[0];
  if (found.odd > 0) return std::nullopt;
  const auto numbers = [](const unsigned long long(&of)[3]) {
    return std::array<double, 3>{number_of(of[0]), number_of(of[1]), number_of(of[2])};
  };
  return Found{number_of(found.heaviest), numbers(found.low), numbers(found.high)};
}

/// Each step-th of n elements.
template <class T>
std::vector<T> sample_of(cudaStream_t stream, const T* from, u64 n) {
  const u64 step = (n - 1) / kSampledBodies + 1, count = (n - 1) / step + 1;
  std::vector<T> sample(count);
  TRI_CUDA(cudaMemcpy2DAsync(sample.data(), sizeof(T), from, step * sizeof(T), sizeof(T), count, cudaMemcpyDeviceToHost,
                             stream));
  TRI_CUDA(cudaStreamSynchronize(stream));
  return sample;
}

/// Evenly spaced bodies. charges: may be null.
template <class Real>
Bodies sample_bodies(cudaStream_t stream, const Vec4<Real>* packed, const Real* charges, u64 n) {
  const std::vector<Vec4<Real>> sample = sample_of(stream, packed, n);
  Bodies bodies;
  bodies.resize(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    bodies.x[i] = sample[i].x, bodies.y[i] = sample[i].y, bodies.z[i] = sample[i].z, bodies.m[i] = sample[i].w;
  }
  if (charges != nullptr) {
    const std::vector<Real> q = sample_of(stream, charges, n);
    bodies.q.assign(q.begin(), q.end());
  }
  return bodies;
}

/// Whether float32 may have lost forces of evenly spaced bodies, at which lost_forces() then looks: those that are 0,
/// or so small that their terms had no digits. With a cut-off, 0 is that of a body without others.
template <class Real>
bool may_be_lost(cudaStream_t stream, const Real* forces, const Vec4<Real>* packed, u64 n, const ForceField& field) {
  if (sizeof(Real) == sizeof(double) || n < 2 || field.pair == PairLaw::contact) return false;
  struct Row {
    Real of[3];
  };
  const std::vector<Row> rows = sample_of(stream, reinterpret_cast<const Row*>(forces), n);
  const bool pairs = field.triple == TripleLaw::none, by_mass = pairs && sums_are_accelerations(field);
  const bool ends = pairs && pair_cutoff(field) > 0;
  std::vector<Vec4<Real>> masses;
  if (by_mass) masses = sample_of(stream, packed, n);
  const auto heavy = std::count_if(masses.begin(), masses.end(), [](const Vec4<Real>& b) { return b.w > 0; });
  if (by_mass && heavy < 2) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& f = rows[i];
    const double size = static_cast<double>(std::max({std::abs(f.of[0]), std::abs(f.of[1]), std::abs(f.of[2])}));
    const bool none = (by_mass && masses[i].w == 0) || (ends && size == 0);
    if (size < kDoubtfulForce && !none) return true;
  }
  return false;
}

/// Whether typed laws keep their digits among evenly spaced bodies.
bool typed_laws_fit(const Bodies& sample, const ForceField& field, Precision precision) {
  const auto fits = [&](const expression::TypedLaw& typed) {
    return typed_law_loss(sample, typed, field.box, precision).empty();
  };
  return (field.pair != PairLaw::typed || fits(field.typed_pair)) &&
         (field.triple != TripleLaw::typed || fits(field.typed_triple));
}

}  // namespace

template <class Real>
std::optional<double> device_forces(const DeviceQueue& queue, const DeviceBodies<Real>& bodies, const ForceField& field,
                                    const EngineConfig& asked, bool energy, Real* out) {
  check(field);
  const cuda::DeviceScope current(queue.device);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  cuda::refuse_capture(stream, "forces waits for the GPU, which a capture into a CUDA graph cannot; call it outside.");
  // Radii are in no array here.
  const bool radii = field.pair == PairLaw::contact || (pair_uses(field) & laws::kRadius) != 0;
  if (radii || bodies.n > cuda::kMaxElements) return std::nullopt;
  const u32 n = static_cast<u32>(bodies.n);
  DeviceBuffer<Vec4<Real>> packed(n);
  const std::optional<Found> found = survey(stream, bodies, field.box, packed.data());
  if (!found || !fits(*found, n, field, asked.precision)) return std::nullopt;
  EngineConfig config = asked;
  const bool gravity = field.pair == PairLaw::gravity && field.triple == TripleLaw::none;
  if (gravity && config.precision == Precision::fp32 && config.arithmetic == Arithmetic::automatic &&
      on_a_line(sample_bodies<Real>(stream, packed.data(), nullptr, n))) {
    config.arithmetic = Arithmetic::float32;
  }
  DeviceBuffer<Real> one_charge;
  const Real* charges = bodies.charges;
  if (charges == nullptr && bodies.charge != 0) {
    one_charge = DeviceBuffer<Real>(n);
    one_charge.upload(std::vector<Real>(n, bodies.charge), stream);
    charges = one_charge.data();
  }
  const bool typed = field.pair == PairLaw::typed || field.triple == TripleLaw::typed;
  if (typed && !typed_laws_fit(sample_bodies<Real>(stream, packed.data(), charges, n), field, config.precision)) {
    return std::nullopt;
  }
  const cuda::DeviceState<Real> state{packed.data(), nullptr, n, charges};
  std::optional<cuda::PairForces<Real>> pairs;
  std::optional<cuda::TripleForces<Real>> triples;
  DeviceBuffer<Vec4<Real>> of_pairs, of_triples;
  if (field.pair != PairLaw::none) {
    pairs.emplace(field, config, n, queue.device);
    of_pairs = DeviceBuffer<Vec4<Real>>(n);
    pairs->keep_sorted(stream, state, 1);
    pairs->enqueue(stream, state, of_pairs.data());
  }
  if (field.triple != TripleLaw::none) {
    triples.emplace(field, config, n, queue.device);
    of_triples = DeviceBuffer<Vec4<Real>>(n);
    triples->enqueue(stream, state, of_triples.data());
  }
  DeviceBuffer<unsigned long long> odd(1);
  odd.fill_bytes(0, stream);
  cuda::enqueue_force_rows<Real>(stream, packed.data(), n, of_pairs.data(), sums_are_accelerations(field),
                                 of_triples.data(), out, odd.data());
  if (odd.download(stream)[0] > 0) return std::nullopt;
  const bool any = field.pair != PairLaw::none || field.triple != TripleLaw::none;
  if (any && may_be_lost(stream, out, packed.data(), n, field)) return std::nullopt;
  if (!energy) return 0.0;
  return (pairs ? pairs->energy(stream, state).potential : 0) + (triples ? triples->energy(stream, state) : 0);
}

template std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<float>&, const ForceField&,
                                             const EngineConfig&, bool, float*);
template std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<double>&, const ForceField&,
                                             const EngineConfig&, bool, double*);

}  // namespace tri
