#include "sim/cuda/compute_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/cpu/memory.hpp"
#include "sim/cuda/device_buffer.hpp"
#include "sim/cuda/device_memory.hpp"
#include "sim/cuda/kernel_choice.hpp"
#include "sim/cuda/kernels/collision.hpp"
#include "sim/cuda/kernels/edm.hpp"
#include "sim/cuda/pack.hpp"
#include "sim/cuda/stream.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// Throws ConfigError naming the first value that is wrong.
void check_points(const PointSet& points) {
  if (points.n == 0) throw ConfigError("there are no points; give at least one.");
  if (points.features == 0 || points.features > 16) {
    throw ConfigError(fmt::format("the points have {} features; give 1 to 16.", points.features));
  }
  if (points.values.size() != std::size_t{points.n} * points.features) {
    throw ConfigError(
        fmt::format("{} values are not {} points of {} features.", points.values.size(), points.n, points.features));
  }
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    if (std::isfinite(points.values[i])) continue;
    throw ConfigError(fmt::format("point {} has feature {} = {}; every value must be a finite number.",
                                  i / points.features, i % points.features, points.values[i]));
  }
}

template <class Real>
u64 distance_bytes(u64 n, u32 features, DistanceLayout layout) {
  return sizeof(Real) * (distance_count(n, layout) + 4 * u64{quads_of(features)} * n);
}

/// The card and the host each hold the whole output.
template <class Real>
void need_distance_memory(const PointSet& points, DistanceLayout layout) {
  const auto bytes = [&](u64 n) { return distance_bytes<Real>(n, points.features, layout); };
  const std::string what = fmt::format("the output of the distances of {} points", points.n);
  const auto cure = [&](u64 largest) {
    return fmt::format("Use {} points or fewer{}", largest, sizeof(Real) == 8 ? ", or --precision fp32" : "");
  };
  need_device_memory(bytes(points.n), what, cure(largest_that_fits(bytes, free_device_memory())));
  cpu::need_memory(bytes(points.n), what, cure(largest_that_fits(bytes, cpu::available_memory())));
}

template <class Real>
DistanceResult distances_in(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  need_distance_memory<Real>(points, layout);
  const KernelChoice kernel = choose_kernel(config.pair_map, points.n, config.pair_block, kEdmTile, {kEdmTile});
  const Stream stream;
  const std::vector<Quad<Real>> packed = pack_points<Real>(points);
  DeviceBuffer<Quad<Real>> input(packed.size());
  input.upload(packed, stream);
  DistanceResult result{layout, points.n, {}, triangular(u64{points.n} - 1), 0};
  auto& values = result.values.emplace<std::vector<Real>>(distance_count(points.n, layout));
  DeviceBuffer<Real> output(values.size());
  const Prepared work = kernel.tiles ? prepare_edm_tiles<Real>(config.pair_map, points.n, points.features, layout,
                                                               input.data(), output.data())
                                     : prepare_edm_elements<Real>(config.pair_map, points.n, kernel.block,
                                                                  points.features, layout, input.data(), output.data());
  EventTimer timer;
  timer.start(stream);
  work.enqueue(stream);
  timer.stop(stream);
  result.ms = timer.elapsed_ms();
  output.download(values, stream);
  return result;
}

/// A list of overlapping pairs of which nobody knows the length beforehand: a first guess, and where it is too short a
/// second run with the length that the first one counted.
template <class Real>
class CollisionJob {
 public:
  CollisionJob(const Bodies& bodies, const EngineConfig& config)
      : n_(static_cast<u32>(bodies.size())),
        config_(config),
        spheres_(bodies.size()),
        count_(1),
        per_body_(bodies.size()) {
    kernel_ = choose_kernel(config.pair_map, n_, config.pair_block, collision_tile_for(n_),
                            {kCollisionTileSmall, kCollisionTileLarge});
    spheres_.upload(pack_spheres<Real>(bodies), stream_);
  }

  CollisionResult run() {
    CollisionResult result;
    result.work_items = triangular(u64{n_} - 1);
    u64 capacity = std::min<u64>(result.work_items, std::max<u64>(kFirstGuess, 8 * u64{n_}));
    u64 count = sweep(capacity, result);
    if (count > capacity) count = sweep(capacity = count, result);
    result.per_body = per_body_.download(stream_);
    std::vector<uint2> found(count);
    pairs_.download(std::span<uint2>(found), stream_);
    result.pairs.reserve(count);
    for (const uint2& p : found) result.pairs.emplace_back(p.x, p.y);
    std::sort(result.pairs.begin(), result.pairs.end());
    return result;
  }

 private:
  static constexpr u64 kFirstGuess = u64{1} << 20;

  /// Returns the number of pairs, which may exceed the capacity; adds to the result's time.
  u64 sweep(u64 capacity, CollisionResult& result) {
    pairs_ = {};
    // On the host the list is held twice while it is sorted into pairs.
    const u64 bytes = capacity * sizeof(uint2);
    const std::string what = fmt::format("the list of {} overlapping pairs", capacity);
    need_device_memory(bytes, what, "Use fewer bodies or smaller radii");
    cpu::need_memory(2 * bytes, what, "Use fewer bodies or smaller radii");
    pairs_ = DeviceBuffer<uint2>(capacity);
    count_.fill_bytes(0, stream_);
    per_body_.fill_bytes(0, stream_);
    const CollisionOutput out{count_.data(), per_body_.data(), pairs_.data(), capacity};
    const Prepared work =
        kernel_.tiles ? prepare_collision_tiles<Real>(config_.pair_map, n_, kernel_.block, 3, spheres_.data(), out)
                      : prepare_collision_elements<Real>(config_.pair_map, n_, kernel_.block, 3, spheres_.data(), out);
    timer_.start(stream_);
    work.enqueue(stream_);
    timer_.stop(stream_);
    result.ms += timer_.elapsed_ms();
    return count_.download(stream_)[0];
  }

  u32 n_;
  EngineConfig config_;
  KernelChoice kernel_;
  Stream stream_;
  EventTimer timer_;
  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_;
  DeviceBuffer<u32> per_body_;
  DeviceBuffer<uint2> pairs_;
};

}  // namespace

u64 distance_count(u64 n, DistanceLayout layout) {
  switch (layout) {
    case DistanceLayout::condensed:
      return triangular(n - 1);
    case DistanceLayout::square:
      return n * n;
    case DistanceLayout::lower:
      break;
  }
  return triangular(n);
}

DistanceResult distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  check_points(points);
  return config.precision == Precision::fp32 ? distances_in<float>(points, layout, config)
                                             : distances_in<double>(points, layout, config);
}

CollisionResult collisions(const Bodies& bodies, const EngineConfig& config) {
  check(bodies);
  return config.precision == Precision::fp32 ? CollisionJob<float>(bodies, config).run()
                                             : CollisionJob<double>(bodies, config).run();
}

}  // namespace tri::cuda
