#include "sim/cuda/engine/compute_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/memory.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/engine/pack.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {
namespace {

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
