#include "sim/cuda/engine/triple_count_jobs.hpp"

#include <fmt/format.h>

#include <numeric>

#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/triples/triple_counts.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"

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

}  // namespace

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
  enqueue_with_progress(work, stream);
  timer.stop(stream);
  TripleCounts result{bins.size(), {}, 0, triple_count(points.n), timer.elapsed_ms()};
  const std::vector<unsigned long long> got = counts.download(stream);
  result.counts.assign(got.begin(), got.end());
  result.outside = result.work_items - std::accumulate(got.begin(), got.end(), u64{0});
  return result;
}

}  // namespace tri::cuda
