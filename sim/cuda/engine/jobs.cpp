#include "sim/cuda/engine/jobs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "sim/backend/backend.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/engine/device_arrays.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/wall.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/gasket_placement.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

template <class Real>
std::vector<Vec4<Real>> pack_points(const PointSet& points) {
  const u32 vectors = vectors_of(points.features);
  std::vector<Vec4<Real>> packed(std::size_t{vectors} * points.n);
  for (u32 p = 0; p < points.n; ++p) {
    const double* from = &points.values[std::size_t{p} * points.features];
    for (u32 q = 0; q < vectors; ++q) {
      std::array<Real, 4> v{};
      for (u32 f = 4 * q; f < points.features && f < 4 * q + 4; ++f) v[f - 4 * q] = static_cast<Real>(from[f]);
      packed[std::size_t{q} * points.n + p] = {v[0], v[1], v[2], v[3]};
    }
  }
  return packed;
}

template <class Real>
std::vector<Sphere<Real>> pack_spheres(const Bodies& bodies, const Box& box) {
  std::vector<Sphere<Real>> packed(bodies.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    packed[i] = {static_cast<Real>(bodies.x[i]), static_cast<Real>(bodies.y[i]), static_cast<Real>(bodies.z[i]),
                 static_cast<Real>(bodies.r[i])};
  }
  if (box.boundary != Boundary::periodic) return packed;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    constexpr Real Sphere<Real>::*kAxes[] = {&Sphere<Real>::x, &Sphere<Real>::y, &Sphere<Real>::z};
    const Real low = static_cast<Real>(box.low[axis]), high = static_cast<Real>(box.high[axis]);
    for (Sphere<Real>& sphere : packed) laws::wrap(sphere.*kAxes[axis], low, high);
  }
  return packed;
}

template std::vector<Vec4<float>> pack_points(const PointSet&);
template std::vector<Vec4<double>> pack_points(const PointSet&);
template std::vector<Sphere<float>> pack_spheres(const Bodies&, const Box&);
template std::vector<Sphere<double>> pack_spheres(const Bodies&, const Box&);

namespace {

template <class Real>
double packed_bytes(u64 n, u32 features) {
  return sizeof(Real) * static_cast<double>(4 * u64{vectors_of(features)} * n);
}

template <class Real>
class CudaDistanceRows final : public DistanceRows {
 public:
  CudaDistanceRows(const PointSet& points, DistanceLayout layout, const EngineConfig& config, int device)
      : n_(points.n), features_(points.features), layout_(layout), config_(config), device_(device) {
    const auto bytes = [&](u64 n) { return packed_bytes<Real>(n, features_); };
    require_device_memory_for(bytes, n_, fmt::format("{} points", n_), "Use ", " points or fewer");
    const std::vector<Vec4<Real>> packed = pack_points<Real>(points);
    points_ = DeviceBuffer<Vec4<Real>>(packed.size());
    points_.upload(packed, stream_);
  }

  /// The current device belongs to the thread, and this call may come from any.
  ~CudaDistanceRows() override { TRI_CUDA_NOTHROW(cudaSetDevice(device_)); }

  double rows(u32 first, u32 last, DistanceValues& to) override {
    const u64 count = count_of(first, last);
    if (!std::holds_alternative<std::vector<Real>>(to)) to.emplace<std::vector<Real>>();
    auto& values = std::get<std::vector<Real>>(to);
    if (values.capacity() < count) {
      values = std::vector<Real>();
      make_room(first, last, count, true);
    }
    values.resize(count);
    return rows_into(first, last, std::span(values));
  }

  double rows_into(u32 first, u32 last, const DistanceSpan& to) override {
    const std::span<Real> values = std::get<std::span<Real>>(to);
    TRI_EXPECTS(values.size() == count_of(first, last));
    TRI_CUDA(cudaSetDevice(device_));
    const KernelChoice kernel = choice(last - first);
    if (output_.size() < values.size()) make_room(first, last, values.size(), false);
    const DistanceRowRange rows{first, last};
    const PreparedLaunch work =
        kernel.tiles ? prepare_distance_tiles<Real>(config_.pair_map, n_, rows, features_, layout_, points_.data(),
                                                    output_.data())
                     : prepare_distance_elements<Real>(config_.pair_map, n_, rows, kernel.block, features_, layout_,
                                                       points_.data(), output_.data());
    timer_.start(stream_);
    work.enqueue(stream_);
    timer_.stop(stream_);
    const double ms = timer_.elapsed_ms();
    output_.download(values, stream_);
    return ms;
  }

 private:
  u64 count_of(u32 first, u32 last) const {
    TRI_EXPECTS(first < last && last <= n_);
    return distance_row_begin(n_, layout_, last) - distance_row_begin(n_, layout_, first);
  }

  KernelChoice choice(u32 rows) const {
    return choose_kernel(config_.pair_map, rows, config_.pair_block, kDistanceTile, {kDistanceTile});
  }

  /// The device holds the block and the map's table; so does the host, where the block is to lie `here`.
  void make_room(u32 first, u32 last, u64 count, bool here) {
    TRI_CUDA(cudaSetDevice(device_));
    output_ = DeviceBuffer<Real>();
    const u32 block = choice(last - first).block;
    const bool all = first == 0 && last == n_;
    const auto bytes = [&](u64 n) {
      return sizeof(Real) * static_cast<double>(distance_count(n, layout_)) + table_bytes(config_.pair_map, n, block);
    };
    const double needed =
        sizeof(Real) * static_cast<double>(count) + table_bytes(config_.pair_map, last - first, block);
    const std::string what = all ? fmt::format("the output of the distances of {} points", n_)
                                 : fmt::format("a block of {} rows of the distances of {} points", last - first, n_);
    const u64 card = free_device_memory(), host = available_memory();
    const std::string cure =
        all ? size_hint("Use ", largest_that_fits(bytes, here ? std::min(card, host) : card),
                        sizeof(Real) == 8 ? " points or fewer, or --precision fp32" : " points or fewer")
            : "Compute fewer rows at once";
    if (needed > static_cast<double>(card)) fail_device_memory(needed, card, what, cure);
    if (here) require_memory(needed, what, cure);
    output_ = DeviceBuffer<Real>(count);
  }

  u32 n_, features_;
  DistanceLayout layout_;
  EngineConfig config_;
  int device_;
  Stream stream_;
  EventTimer timer_;
  DeviceBuffer<Vec4<Real>> points_;
  DeviceBuffer<Real> output_;
};

/// What a search found; of several ranks, what one of them counts.
struct Overlaps {
  std::vector<uint2> pairs;
  u64 tested = 0;
  double ms = 0;
};

template <class Real>
Overlaps overlaps_of(const Bodies& bodies, const EngineConfig& config, const Box& box, const DeviceRanks* ranks) {
  const Stream stream;
  const GridShare share = ranks != nullptr ? GridShare{ranks->rank(), ranks->size()} : GridShare{};
  OverlapSearch<Real> search(bodies, box, config, stream, share, ranks == nullptr);
  Overlaps found;
  if (share.rank > 0 && !search.is_shared()) return found;
  const std::vector<Sphere<Real>> spheres = pack_spheres<Real>(bodies, box);
  TRI_CUDA(cudaMemcpyAsync(search.spheres(), spheres.data(), spheres.size() * sizeof(Sphere<Real>),
                           cudaMemcpyHostToDevice, stream));
  EventTimer timer;
  const auto sweep = [&] {
    timer.start(stream);
    search.enqueue_spheres_as_they_are(stream);
    timer.stop(stream);
    found.ms += timer.elapsed_ms();
    return search.found(stream);
  };
  u64 count = sweep();
  if (count > search.list().capacity) {
    // Sorting into pairs needs a second copy of the list on the host.
    require_memory(2.0 * static_cast<double>(count) * sizeof(uint2),
                   fmt::format("the list of {} overlapping pairs", count), "Use fewer bodies or smaller radii");
    search.grow(stream);
    count = sweep();
  }
  found.tested = search.looked_at(stream);
  found.pairs.resize(count);
  if (count > 0) {
    TRI_CUDA(cudaMemcpyAsync(found.pairs.data(), search.list().pairs, count * sizeof(uint2), cudaMemcpyDeviceToHost,
                             stream));
  }
  stream.synchronize();
  // The rank of its first body counts a pair.
  std::erase_if(found.pairs, [](const uint2& pair) { return (pair.x & kForeign) != 0; });
  for (uint2& pair : found.pairs) pair.y &= ~kForeign;
  return found;
}

}  // namespace

std::unique_ptr<DistanceRows> make_distance_rows(const PointSet& points, DistanceLayout layout,
                                                 const EngineConfig& config, int device) {
  if (points.n > kMaxElements) {
    throw ConfigError(
        fmt::format("{} points are more than the {} of the cuda backend; use --backend cpu.", points.n, kMaxElements));
  }
  if (config.precision == Precision::fp32) {
    return std::make_unique<CudaDistanceRows<float>>(points, layout, config, device);
  }
  return std::make_unique<CudaDistanceRows<double>>(points, layout, config, device);
}

CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box, DeviceRanks* ranks) {
  const bool fp32 = config.precision == Precision::fp32;
  const auto bytes = [&](u64 n) {
    return fp32 ? overlap_search_bytes<float>(config, n) : overlap_search_bytes<double>(config, n);
  };
  Overlaps found;
  const auto search = [&] {
    require_device_memory_for(bytes, bodies.size(), fmt::format("the search for overlaps of {} bodies", bodies.size()),
                              "Use ", " bodies or fewer");
    found = fp32 ? overlaps_of<float>(bodies, config, box, ranks) : overlaps_of<double>(bodies, config, box, ranks);
  };
  if (ranks == nullptr) {
    search();
  } else {
    ranks->all_or_none(search);
    found.tested = ranks->total(found.tested);
    ranks->gather(found.pairs);
  }
  CollisionResult result;
  result.work_items = found.tested, result.ms = found.ms;
  result.per_body.resize(bodies.size());
  result.pairs.reserve(found.pairs.size());
  for (const uint2& p : found.pairs) {
    result.pairs.emplace_back(p.x, p.y);
    ++result.per_body[p.x], ++result.per_body[p.y];
  }
  std::sort(result.pairs.begin(), result.pairs.end());
  return result;
}

// Counts of triples by their three sides: one by one or as products of bits, and memory.

namespace {

/// [features, n], so that neighbouring points are contiguous.
std::vector<double> features_first(const PointSet& points) {
  std::vector<double> columns(points.values.size());
  for (u64 i = 0; i < points.n; ++i) {
    for (u64 f = 0; f < points.features; ++f) columns[f * points.n + i] = points.values[i * points.features + f];
  }
  return columns;
}

/// Items of a launch: a few milliseconds on the fastest devices, so that launch overhead is negligible.
constexpr double kMinItems = 1e9;
constexpr u32 kMaxJobSlices = 4096;

/// Number of launches for work of so many items: with a progress sink each of kMinItems, so that Ctrl-C ends it soon,
/// or of more in work of hours; `minimum` without.
u32 progress_slices(double items, u32 minimum) {
  if (!progress_is_wanted()) return minimum;
  const double wanted = std::min<double>(kMaxJobSlices, items / kMinItems);
  return std::max(minimum, static_cast<u32>(wanted));
}

/// Terms of products that take as long as a triple does, and fewer than take as long as kMinItems allows for one.
constexpr double kTermsPerItem = 256;

double terms(u64 n, u32 bins) { return static_cast<double>(triple_count(n)) * bit_products(bins); }

/// Times on an H200, in ms (docs/notes/performance.md): one by one, triples contend for few counts at first and for
/// shared memory later; a product takes a launch, a pass over the pairs, and its terms.
double one_by_one_ms(u64 n, u32 bins) {
  return static_cast<double>(triple_count(n)) * (1.03e-9 + 2.5e-9 * std::pow(std::min(bins, 54u) / 36.0, 3));
}
double products_ms(u64 n, u32 bins) {
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  return bit_products(bins) * (0.012 + 1.5e-9 * pairs) + terms(n, bins) / 2e12;
}

u64 bytes_one_by_one(u64 n) { return n * n; }
u64 bytes_of_products(u64 n, u32 bins) {
  const u64 side = bit_pitch(static_cast<u32>(n));
  return side * side + bit_products_bytes(n) + u64{bit_products(bins)} * bins * sizeof(u64);
}

/// Whether products count these triples: not along a map of triples or in tiles that were asked for, since products go
/// along a map of pairs. Throws ConfigError for `tensor` where they cannot.
bool uses_products(const EngineConfig& config, u64 n, u32 bins, int device) {
  if (config.arithmetic == Arithmetic::float32) return false;
  std::string refusal;
  if (!has_bit_products(device)) {
    refusal = no_tensor_code_on(device, 8);
  } else if (config.triple_block != 0 && config.triple_block != kBitBlock) {
    refusal = fmt::format("--block {} is no tile of counts under --arithmetic tensor; leave it out, or use {}.",
                          config.triple_block, kBitBlock);
  } else if (n > kMaxTripleElements) {
    refusal =
        fmt::format("--n {} is out of range for triples on the cuda backend; use {} or fewer.", n, kMaxTripleElements);
  } else {
    refusal = map_refusal(info(product_map(config)), n, {kBitBlock, true, device_table_memory()});
  }
  if (config.arithmetic == Arithmetic::tensor) {
    if (!refusal.empty()) throw ConfigError(refusal);
    return true;
  }
  return refusal.empty() && config.triple_map == EngineConfig().triple_map &&
         products_ms(n, bins) < one_by_one_ms(n, bins) && bytes_of_products(n, bins) <= free_device_memory();
}

/// counts [bins, bins, bins] from the sums of all products, [products, bins].
std::vector<u64> counts_of(const std::vector<unsigned long long>& sums, u32 bins) {
  std::vector<u64> counts(u64{bins} * bins * bins);
  const auto product = [](u32 q, u32 r) { return u64{r} * (r + 1) / 2 + q; };
  for (u32 r = 0; r < bins; ++r) {
    for (u32 q = 0; q <= r; ++q) {
      for (u32 p = 0; p < bins; ++p) {
        u64 with = sums[product(q, r) * bins + p];
        if (q != r) with -= sums[product(q, q) * bins + p] + sums[product(r, r) * bins + p];
        u32 side[3]{p, q, r};
        std::sort(side, side + 3);
        counts[(u64{side[0]} * bins + side[1]) * bins + side[2]] += with;
      }
    }
  }
  return counts;
}

/// Fills columns[features, n] on a stream: the points.
using FillColumns = std::function<void(cudaStream_t stream, DeviceBuffer<double>& columns)>;

TripleCounts count_triples_of(u32 n, u32 features, const FillColumns& fill, const SideBins& bins,
                              const EngineConfig& config, DeviceRanks* ranks) {
  const int device = current_device();
  const u32 b = bins.size();
  const bool products = uses_products(config, n, b, device);
  if (ranks != nullptr) ranks->agree("free memory, so in how they count", products ? 1 : 0);
  if (!products) choose_triple_block(config.triple_map, n, config.triple_block, kCountTile, {kCountTile});
  const u64 cells = products ? u64{bit_products(b)} * b : u64{b} * b * b;
  const auto bytes = [&](u64 count) {
    return static_cast<double>(products ? bytes_of_products(count, b) : bytes_one_by_one(count)) +
           8.0 * static_cast<double>(count * features + cells + b + 1);
  };
  const auto require_memory = [&] {
    require_device_memory_for(bytes, n, fmt::format("the bins of all pairs of {} points", n), "Use ",
                              " points or fewer, or --backend cpu");
  };
  ranks != nullptr ? ranks->all_or_none(require_memory) : require_memory();
  const u32 side = products ? bit_pitch(n) : n;
  const Stream stream;
  DeviceBuffer<double> values(u64{n} * features), squares(bins.edges.size());
  DeviceBuffer<u8> table(u64{side} * side);
  DeviceBuffer<unsigned long long> counts(cells);
  fill(stream, values);
  squares.upload(squares_of(bins), stream);
  counts.fill_bytes(0, stream);
  const double items = products ? terms(n, b) / kTermsPerItem : static_cast<double>(triple_count(n));
  const u32 of_device = slices_for_items(config, items, device);
  const GridCut cut =
      ranks != nullptr ? GridCut(of_device, ranks->rank(), ranks->size()) : GridCut(progress_slices(items, of_device));
  const PreparedLaunch work = products
                                  ? prepare_bit_products(product_map(config), n, b, table.data(), counts.data(), cut)
                                  : prepare_triple_counts(config.triple_map, n, b, table.data(), counts.data(), cut);
  EventTimer timer;
  timer.start(stream);
  enqueue_pair_bins(values.data(), n, features, squares.data(), b, table.data(), side, stream);
  if (ranks != nullptr) {
    work.enqueue(stream);  // none of several ranks may end alone
    ranks->enqueue_sum(stream, std::span(counts.data(), counts.size()));
  } else {
    enqueue_watched(work, cut.slices, stream);
  }
  timer.stop(stream);
  TripleCounts result{b, {}, 0, triple_count(n), timer.elapsed_ms(), products};
  const std::vector<unsigned long long> got = counts.download(stream);
  result.counts = products ? counts_of(got, b) : std::vector<u64>(got.begin(), got.end());
  result.outside = result.work_items - std::accumulate(result.counts.begin(), result.counts.end(), u64{0});
  return result;
}

}  // namespace

TripleCounts count_triples(const PointSet& points, const SideBins& bins, const EngineConfig& config,
                           DeviceRanks* ranks) {
  const FillColumns fill = [&](cudaStream_t stream, DeviceBuffer<double>& columns) {
    columns.upload(features_first(points), stream);
  };
  return count_triples_of(points.n, points.features, fill, bins, config, ranks);
}

}  // namespace tri::cuda

namespace tri {

template <class Real>
std::optional<TripleCounts> device_triplets(const DeviceQueue& queue, const DeviceRows<Real>& points,
                                            const SideBins& bins, const EngineConfig& config) {
  check(bins);
  const cuda::DeviceScope current(queue.device);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  cuda::refuse_capture(stream,
                       "triplets waits for the GPU, which a capture into a CUDA graph cannot; call it outside.");
  const bool odd_shape = points.columns < 1 || points.columns > PointSet::kMaxFeatures;
  if (odd_shape || points.n < 3 || points.n > cuda::kMaxElements || scale_of(bins) != 1) return std::nullopt;
  const u32 n = static_cast<u32>(points.n), features = static_cast<u32>(points.columns);
  cuda::DeviceBuffer<unsigned long long> odd(1);
  odd.fill_bytes(0, stream);
  cuda::DeviceBuffer<double> columns(u64{n} * features);
  cuda::enqueue_columns<Real>(stream, points.values, n, features, columns.data(), odd.data());
  if (odd.download(stream)[0] > 0) return std::nullopt;  // now the columns are there for any stream
  const cuda::FillColumns fill = [&](cudaStream_t, cuda::DeviceBuffer<double>& to) { to = std::move(columns); };
  return cuda::count_triples_of(n, features, fill, bins, config, nullptr);
}

template std::optional<TripleCounts> device_triplets(const DeviceQueue&, const DeviceRows<float>&, const SideBins&,
                                                     const EngineConfig&);
template std::optional<TripleCounts> device_triplets(const DeviceQueue&, const DeviceRows<double>&, const SideBins&,
                                                     const EngineConfig&);

}  // namespace tri

// An automaton on the device: two state arrays; each step reads one and writes the other.

namespace tri::cuda {
namespace {

constexpr u64 kMaxThreads = 1024;

class CudaAutomaton final : public Automaton {
 public:
  CudaAutomaton(const AutomatonSpec& spec, int device) : spec_(spec), device_(device) {
    spec_.work.block = block_of(spec.work);
    const FractalGrid grid = check_automaton(spec_);
    const FractalLaunch launch = launch_of(spec_, grid);
    need_space();
    for (auto& state : states_) state = DeviceBuffer<u8>(storage_size());
    const std::vector<u8> first = initial_cells(spec_);
    if (spec_.storage == CellStorage::compact) {
      states_[0].upload(first, stream_);
    } else {
      for (auto& state : states_) state.fill_bytes(0, stream_);
      DeviceBuffer<u8> compact(first.size());
      compact.upload(first, stream_);
      spread_cells(spec_.fractal.shape, spec_.levels, compact.data(), states_[0].data(), stream_);
      stream_.synchronize();
    }
    prepare(launch);
  }

  const AutomatonSpec& spec() const override { return spec_; }

  void configure(const CellWork& work) override {
    use_device();
    AutomatonSpec changed = spec_;
    changed.work = work;
    changed.work.block = block_of(work);
    const FractalLaunch launch = launch_of(changed, check_automaton(changed));
    spec_ = changed;
    prepare(launch);
  }

  void set_rule(const LifeRule& rule) override {
    use_device();
    spec_.rule = rule;
    prepare(launch_of(spec_, check_automaton(spec_)));
  }

  void step(u64 steps) override {
    if (steps == 0) return;
    use_device();
    timer_.start(stream_);
    for (u64 s = 0; s < steps; ++s) {
      if (spec_.temperature) {
        for (const PreparedLaunch& colour : sweep_work_) colour.enqueue(stream_);
        ++sweep_;
      } else {
        work_[now_].enqueue(stream_), now_ = 1 - now_;
      }
    }
    timer_.stop(stream_);
    step_ms_ = timer_.elapsed_ms() / static_cast<double>(steps);
  }

  std::vector<u8> read() const override {
    use_device();
    if (spec_.storage == CellStorage::compact) return states_[now_].download(stream_);
    DeviceBuffer<u8> compact(spec_.cells());
    gather_cells(spec_.fractal.shape, spec_.levels, states_[now_].data(), compact.data(), stream_);
    return compact.download(stream_);
  }

  double step_ms() const override { return step_ms_; }

  SpinSums spin_sums() const override {
    TRI_EXPECTS(spec_.temperature.has_value());
    use_device();
    sums_.fill_bytes(0, stream_);
    sum_work_.enqueue(stream_);
    const std::vector<unsigned long long> sums = sums_.download(stream_);
    return {static_cast<i64>(sums[0]), static_cast<i64>(sums[1])};
  }

 private:
  void use_device() const { TRI_CUDA(cudaSetDevice(device_)); }

  u32 block_of(const CellWork& work) const {
    const FractalShape& shape = spec_.fractal.shape;
    // check_automaton() has already rejected too many levels.
    if (work.block != 0 || spec_.levels > 31) return work.block != 0 ? work.block : 1;
    return default_fractal_block(shape, power_of(shape.scale(), spec_.levels), work.placement);
  }

  static FractalLaunch launch_of(const AutomatonSpec& spec, const FractalGrid& grid) {
    if (spec.temperature && info(spec.work.map).typed != nullptr) {
      throw ConfigError(fmt::format("--map {} is typed, and spins on a GPU have built-in maps; use --map {}.",
                                    info(spec.work.map).name, info(CellWork{}.map).name));
    }
    return fractal_launch(spec.fractal, grid, spec.work.map, spec.work.placement);
  }

  u64 storage_size() const { return static_cast<u64>(spec_.bytes()); }

  void need_space() const {
    const bool compact = spec_.storage == CellStorage::compact;
    const double extra = compact ? 0 : static_cast<double>(spec_.cells());
    require_device_memory(
        2 * spec_.bytes() + extra,
        fmt::format("two {} states of {} at r = {}", to_string(spec_.storage), spec_.fractal.name, spec_.levels),
        compact ? "Use fewer levels" : "Use fewer levels, or storage=compact");
    require_memory(static_cast<double>(spec_.cells()), fmt::format("{} cells", spec_.cells()), "Use fewer levels");
  }

  void prepare(const FractalLaunch& launch) {
    if (spec_.temperature) {
      sweep_work_ = prepare_spin_sweep(launch, spec_.spins(), &sweep_, states_[0].data());
      sum_work_ = prepare_spin_sums(launch, spec_.spins(), states_[0].data(), sums_.data());
      return;
    }
    for (u32 from = 0; from < 2; ++from) {
      const u8* now = states_[from].data();
      u8* next = states_[1 - from].data();
      work_[from] = spec_.storage == CellStorage::compact ? prepare_compact_step(launch, spec_.rule, now, next)
                                                          : prepare_fractal_step(launch, spec_.rule, now, next);
    }
  }

  AutomatonSpec spec_;
  int device_;
  Stream stream_;
  EventTimer timer_;
  std::array<DeviceBuffer<u8>, 2> states_;
  std::array<PreparedLaunch, 2> work_;  ///< from state 0 to 1 and back
  // Of spins, which are all in state 0.
  std::vector<PreparedLaunch> sweep_work_;  ///< in this order
  PreparedLaunch sum_work_;
  mutable DeviceBuffer<unsigned long long> sums_{2};
  u64 sweep_ = 0;
  u32 now_ = 0;
  double step_ms_ = 0;
};

/// On the triangle: states are squares of side n, whose upper half nothing reads.
class CudaTriangleLife final : public Automaton {
 public:
  CudaTriangleLife(const AutomatonSpec& spec, int device) : spec_(spec), device_(device) {
    check_triangle_automaton(spec);
    require_device_memory(2 * spec.embedded_bytes(), fmt::format("two states of {} cells a side", spec.triangle),
                          "Use a smaller n");
    require_memory(2.5 * spec.embedded_bytes(), fmt::format("a state of {} cells a side", spec.triangle),
                   "Use a smaller n");
    const u64 n = spec.triangle;
    std::vector<u8> square(n * n);
    const std::vector<u8> rows = initial_cells(spec);
    for (u64 i = 0; i < n; ++i) std::copy_n(&rows[triangular(i)], i + 1, &square[i * n]);
    for (auto& state : states_) state = DeviceBuffer<u8>(square.size());
    states_[0].upload(square, stream_);
    stream_.synchronize();
    configure(spec.work);
  }

  const AutomatonSpec& spec() const override { return spec_; }

  void configure(const CellWork& work) override {
    use_device();
    const KernelChoice kernel = choose_kernel(work.triangle_map, spec_.triangle, work.block, kTriangleBlock, {});
    prepare(work.triangle_map, kernel.block, spec_.rule);
    spec_.work = work, spec_.work.block = kernel.block;
  }

  void set_rule(const LifeRule& rule) override {
    use_device();
    AutomatonSpec changed = spec_;
    changed.rule = rule;
    check_triangle_automaton(changed);
    prepare(spec_.work.triangle_map, spec_.work.block, rule);
    spec_.rule = rule;
  }

  void step(u64 steps) override {
    if (steps == 0) return;
    use_device();
    timer_.start(stream_);
    for (u64 s = 0; s < steps; ++s, now_ = 1 - now_) work_[now_].enqueue(stream_);
    timer_.stop(stream_);
    step_ms_ = timer_.elapsed_ms() / static_cast<double>(steps);
  }

  std::vector<u8> read() const override {
    use_device();
    const u64 n = spec_.triangle;
    const std::vector<u8> square = states_[now_].download(stream_);
    std::vector<u8> rows(spec_.cells());
    for (u64 i = 0; i < n; ++i) std::copy_n(&square[i * n], i + 1, &rows[triangular(i)]);
    return rows;
  }

  double step_ms() const override { return step_ms_; }
  SpinSums spin_sums() const override { TRI_UNREACHABLE("the cells of a triangle are no spins"); }

 private:
  static constexpr u32 kTriangleBlock = 16;

  void use_device() const { TRI_CUDA(cudaSetDevice(device_)); }

  void prepare(TriangleMapId map, u32 block, const LifeRule& rule) {
    for (u32 from = 0; from < 2; ++from) {
      work_[from] = prepare_automaton(map, spec_.triangle, block, rule, states_[from].data(), states_[1 - from].data());
    }
  }

  AutomatonSpec spec_;
  int device_;
  Stream stream_;
  EventTimer timer_;
  std::array<DeviceBuffer<u8>, 2> states_;
  std::array<PreparedLaunch, 2> work_;  ///< from state 0 to 1 and back
  u32 now_ = 0;
  double step_ms_ = 0;
};

}  // namespace

FractalLaunch fractal_launch(const Fractal& fractal, const FractalGrid& grid, GasketMapId map,
                             GasketPlacement placement) {
  check_map(fractal, grid, map);
  FractalLaunch launch{fractal.shape, fractal.is_gasket(), grid, map, placement};
  if (placement == GasketPlacement::sectors && (!launch.gasket || grid.block != GasketSectors::kSide)) {
    throw ConfigError(
        fmt::format("--placement sectors writes whole sectors of the gasket in blocks of {0}; use --block "
                    "{0} with the gasket, or another placement.",
                    GasketSectors::kSide));
  }
  if (const u64 threads = fractal_threads(launch); threads > kMaxThreads) {
    throw ConfigError(fmt::format("--block {} asks for {} threads a block, and a device has {}; use --block {}.",
                                  grid.block, threads, kMaxThreads,
                                  default_fractal_block(fractal.shape, grid.side, placement)));
  }
  return launch;
}

u32 default_fractal_block(const FractalShape& shape, u64 n, GasketPlacement placement) {
  FractalLaunch launch;
  launch.shape = shape;
  launch.placement = placement;
  u32 block = largest_block(shape, n, 32);
  for (;; block /= shape.scale()) {
    launch.grid.block = block;
    launch.grid.inner = levels_of_side(shape, block).value_or(0);
    if (block == 1 || fractal_threads(launch) <= kMaxThreads) return block;
  }
}

std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec, int device) {
  if (spec.triangle != 0) return std::make_unique<CudaTriangleLife>(spec, device);
  return std::make_unique<CudaAutomaton>(spec, device);
}

}  // namespace tri::cuda
