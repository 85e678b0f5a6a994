#include "sim/cuda/engine/compute_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/memory.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/engine/pack.hpp"
#include "sim/cuda/kernels/pairs/distances.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/stream.hpp"
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

}  // namespace tri::cuda
