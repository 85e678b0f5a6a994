#include "sim/cuda/engine/compute_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/base/memory.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/engine/pack.hpp"
#include "sim/cuda/kernels/pairs/distances.hpp"
#include "sim/cuda/kernels/triples/triple_counts.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// Device and host each hold the whole output and the packed points; the device also holds the map's table.
template <class Real>
void need_distance_memory(const PointSet& points, DistanceLayout layout, TriangleMapId map, u32 block) {
  const auto bytes = [&](u64 n) {
    return sizeof(Real) * (static_cast<double>(distance_count(n, layout)) +
                           static_cast<double>(4 * u64{vectors_of(points.features)} * n)) +
           table_bytes(map, n, block);
  };
  const std::string what = fmt::format("the output of the distances of {} points", points.n);
  const u64 card = free_device_memory(), host = available_memory();
  const std::string cure = size_hint("Use ", largest_that_fits(bytes, std::min(card, host)),
                                     sizeof(Real) == 8 ? " points or fewer, or --precision fp32" : " points or fewer");
  if (bytes(points.n) > static_cast<double>(card)) fail_device_memory(bytes(points.n), card, what, cure);
  require_memory(bytes(points.n), what, cure);
}

template <class Real>
DistanceResult distances_in(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  const KernelChoice kernel =
      choose_kernel(config.pair_map, points.n, config.pair_block, kDistanceTile, {kDistanceTile});
  need_distance_memory<Real>(points, layout, config.pair_map, kernel.block);
  const Stream stream;
  const std::vector<Vec4<Real>> packed = pack_points<Real>(points);
  DeviceBuffer<Vec4<Real>> input(packed.size());
  input.upload(packed, stream);
  DistanceResult result{layout, points.n, {}, triangular(u64{points.n} - 1), 0};
  auto& values = result.values.emplace<std::vector<Real>>(distance_count(points.n, layout));
  DeviceBuffer<Real> output(values.size());
  const PreparedLaunch work =
      kernel.tiles ? prepare_distance_tiles<Real>(config.pair_map, points.n, points.features, layout, input.data(),
                                                  output.data())
                   : prepare_distance_elements<Real>(config.pair_map, points.n, kernel.block, points.features, layout,
                                                     input.data(), output.data());
  EventTimer timer;
  timer.start(stream);
  work.enqueue(stream);
  timer.stop(stream);
  result.ms = timer.elapsed_ms();
  output.download(values, stream);
  return result;
}

template <class Real>
CollisionResult collisions_in(const Bodies& bodies, const EngineConfig& config) {
  const Stream stream;
  OverlapSearch<Real> search(bodies, Box{}, config, stream);
  const std::vector<Sphere<Real>> spheres = pack_spheres<Real>(bodies);
  TRI_CUDA(cudaMemcpyAsync(search.spheres(), spheres.data(), spheres.size() * sizeof(Sphere<Real>),
                           cudaMemcpyHostToDevice, stream));
  EventTimer timer;
  CollisionResult result;
  const auto sweep = [&] {
    timer.start(stream);
    search.enqueue_spheres_as_they_are(stream);
    timer.stop(stream);
    result.ms += timer.elapsed_ms();
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
  result.work_items = search.looked_at(stream);
  std::vector<uint2> found(count);
  if (count > 0) {
    TRI_CUDA(cudaMemcpyAsync(found.data(), search.list().pairs, count * sizeof(uint2), cudaMemcpyDeviceToHost, stream));
  }
  stream.synchronize();
  result.per_body.resize(bodies.size());
  result.pairs.reserve(count);
  for (const uint2& p : found) {
    result.pairs.emplace_back(p.x, p.y);
    ++result.per_body[p.x], ++result.per_body[p.y];
  }
  std::sort(result.pairs.begin(), result.pairs.end());
  return result;
}

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

}  // namespace

DistanceResult distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  check(points);
  return config.precision == Precision::fp32 ? distances_in<float>(points, layout, config)
                                             : distances_in<double>(points, layout, config);
}

CollisionResult collisions(const Bodies& bodies, const EngineConfig& config) {
  const bool fp32 = config.precision == Precision::fp32;
  const auto bytes = [&](u64 n) {
    return fp32 ? overlap_search_bytes<float>(config, n) : overlap_search_bytes<double>(config, n);
  };
  require_device_memory_for(bytes, bodies.size(), fmt::format("the search for overlaps of {} bodies", bodies.size()),
                            "Use ", " bodies or fewer");
  return fp32 ? collisions_in<float>(bodies, config) : collisions_in<double>(bodies, config);
}

TripleCounts count_triples(const PointSet& points, const SideBins& bins, const EngineConfig& config) {
  choose_triple_block(config.triple_map, points.n, config.triple_block, kCountTile, {kCountTile});
  const u64 cells = u64{bins.size()} * bins.size() * bins.size();
  const auto bytes = [&](u64 n) {
    return static_cast<double>(n) * static_cast<double>(n) +
           8.0 * static_cast<double>(n * points.features + cells + bins.size() + 1);
  };
  require_device_memory_for(bytes, points.n, fmt::format("the bins of all pairs of {} points", points.n), "Use ",
                            " points or fewer, or --backend cpu");
  const Stream stream;
  DeviceBuffer<double> values(points.values.size()), squares(bins.edges.size());
  DeviceBuffer<u8> table(u64{points.n} * points.n);
  DeviceBuffer<unsigned long long> counts(cells);
  values.upload(features_first(points), stream);
  squares.upload(squares_of(bins), stream);
  counts.fill_bytes(0, stream);
  const u32 slices = progress_slices(static_cast<double>(triple_count(points.n)),
                                     slices_for_triples(config, points.n, current_device()));
  const PreparedLaunch work =
      prepare_triple_counts(config.triple_map, points.n, bins.size(), table.data(), counts.data(), slices);
  EventTimer timer;
  timer.start(stream);
  enqueue_pair_bins(values.data(), points.n, points.features, squares.data(), bins.size(), table.data(), stream);
  enqueue_watched(work, slices, stream);
  timer.stop(stream);
  TripleCounts result{bins.size(), {}, 0, triple_count(points.n), timer.elapsed_ms()};
  const std::vector<unsigned long long> got = counts.download(stream);
  result.counts.assign(got.begin(), got.end());
  result.outside = result.work_items - std::accumulate(got.begin(), got.end(), u64{0});
  return result;
}

}  // namespace tri::cuda
