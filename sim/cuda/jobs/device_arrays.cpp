#include "sim/cuda/jobs/device_arrays.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/jobs/capture.hpp"
#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/device_scope.hpp"
#include "sim/maps/map_registry.hpp"

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

}  // namespace tri
