// Counts of triples by their three sides: one by one or as products of bits, and memory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "sim/backend/job_units.hpp"
#include "sim/backend/map_limits.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/jobs/capture.hpp"
#include "sim/cuda/jobs/compute_jobs.hpp"
#include "sim/cuda/jobs/device_arrays.hpp"
#include "sim/cuda/kernels/bodies/body_arrays.hpp"
#include "sim/cuda/kernels/triples/triple_count_products.hpp"
#include "sim/cuda/kernels/triples/triple_counts.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/device_scope.hpp"
#include "sim/cuda/runtime/kernel_code.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
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

/// Times on an H200, in ms (docs/performance.md): one by one, triples contend for few counts at first and for shared
/// memory later; a product takes a launch, a pass over the pairs, and its terms.
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
