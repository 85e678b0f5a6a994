#include "sim/cuda/jobs/compute_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/contracts.hpp"
#include "sim/base/memory.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/jobs/pack.hpp"
#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {
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

}  // namespace tri::cuda
