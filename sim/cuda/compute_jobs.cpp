#include "sim/cuda/compute_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cuda/device_buffer.hpp"
#include "sim/cuda/device_memory.hpp"
#include "sim/cuda/kernel_choice.hpp"
#include "sim/cuda/kernels/collision.hpp"
#include "sim/cuda/kernels/edm.hpp"
#include "sim/cuda/pack.hpp"
#include "sim/cuda/stream.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/memory.hpp"

namespace tri::cuda {
namespace {

/// The card and the host each hold the whole output and the packed points; the card the map's table too.
template <class Real>
void need_distance_memory(const PointSet& points, DistanceLayout layout, TriangleMapId map, u32 block) {
  const auto bytes = [&](u64 n) {
    return sizeof(Real) * (static_cast<double>(distance_count(n, layout)) +
                           static_cast<double>(4 * u64{quads_of(points.features)} * n)) +
           table_bytes(map, n, block);
  };
  const std::string what = fmt::format("the output of the distances of {} points", points.n);
  const u64 card = free_device_memory(), host = available_memory();
  const std::string cure =
      cure_by_size("Use ", largest_that_fits(bytes, std::min(card, host)),
                   sizeof(Real) == 8 ? " points or fewer, or --precision fp32" : " points or fewer");
  if (bytes(points.n) > static_cast<double>(card)) fail_device_memory(bytes(points.n), card, what, cure);
  need_memory(bytes(points.n), what, cure);
}

template <class Real>
DistanceResult distances_in(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  const KernelChoice kernel = choose_kernel(config.pair_map, points.n, config.pair_block, kEdmTile, {kEdmTile});
  need_distance_memory<Real>(points, layout, config.pair_map, kernel.block);
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
    const double bytes = static_cast<double>(capacity) * sizeof(uint2);
    const std::string what = fmt::format("the list of {} overlapping pairs", capacity);
    need_device_memory(bytes, what, "Use fewer bodies or smaller radii");
    need_memory(2 * bytes, what, "Use fewer bodies or smaller radii");
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

DistanceResult distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  check(points);
  return config.precision == Precision::fp32 ? distances_in<float>(points, layout, config)
                                             : distances_in<double>(points, layout, config);
}

CollisionResult collisions(const Bodies& bodies, const EngineConfig& config) {
  check(bodies);
  // A sphere and a counter a body, and the list's first guess.
  const u64 each = (config.precision == Precision::fp32 ? sizeof(Sphere<float>) : sizeof(Sphere<double>)) +
                   sizeof(u32) + 8 * sizeof(uint2);
  need_device_memory_for([&](u64 n) { return n * each; }, bodies.size(),
                         fmt::format("the data of {} bodies", bodies.size()), "Use ", " bodies or fewer");
  return config.precision == Precision::fp32 ? CollisionJob<float>(bodies, config).run()
                                             : CollisionJob<double>(bodies, config).run();
}

}  // namespace tri::cuda
