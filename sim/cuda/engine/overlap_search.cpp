#include "sim/cuda/engine/overlap_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/cuda/engine/device_tuning.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// Bodies per cell, if the radii permit.
constexpr double kOccupancy = 6;

/// Whether the configuration requests the grid, or leaves the choice to the backend, which prefers it for this many
/// bodies.
bool wants_grid(const EngineConfig& config, u64 n) {
  if (config.broad_phase != BroadPhase::automatic) return config.broad_phase == BroadPhase::grid;
  return n >= tuned_grid_bodies(config.precision, current_device());
}

u64 first_capacity(u64 n) { return std::max<u64>(1, std::min(triangular(n - 1), kListedPairs * n)); }

}  // namespace

template <class Real>
u64 overlap_search_bytes(const EngineConfig& config, u64 n) {
  u64 bytes = n * sizeof(Sphere<Real>) + first_capacity(n) * sizeof(uint2);
  // Twice as many cells as the mean occupancy suggests, doubled again for rounding to powers of two.
  const u64 cells = static_cast<u64>(4 * static_cast<double>(n) / kOccupancy) + 64;
  if (wants_grid(config, n)) {
    bytes +=
        n * (3 * sizeof(u32) + sizeof(Sphere<Real>)) + cells * sizeof(u32) + grid_strips(n, cells) * sizeof(CellStrip);
  }
  return bytes;
}

template <class Real>
OverlapSearch<Real>::OverlapSearch(const Bodies& bodies, const Box& box, const EngineConfig& config,
                                   cudaStream_t stream, const GridShare& share, bool alone)
    : config_(config),
      share_(share),
      alone_(alone),
      n_(static_cast<u32>(bodies.size())),
      grid_(wants_grid(config, bodies.size())),
      image_(box),
      spheres_(n_),
      count_(1),
      candidates_(1) {
  count_.fill_bytes(0, stream);
  candidates_.fill_bytes(0, stream);
  TRI_CUDA(cudaStreamSynchronize(stream));
  if (grid_) make_grid(bodies, box);
  if (!grid_) {
    const KernelChoice kernel = choose_kernel(config.pair_map, n_, config.pair_block,
                                              tuned_overlap_tile(config.precision, n_, current_device()),
                                              {kCollisionTileSmall, kCollisionTileLarge});
    block_ = kernel.block;
    tiles_ = kernel.tiles;
  }
  prepare(first_capacity(n_));
}

template <class Real>
void OverlapSearch<Real>::make_grid(const Bodies& bodies, const Box& box) {
  const GridChoice<Real> choice = make_cell_grid<Real>(bodies, box, kOccupancy);
  if (!choice.usable) {
    if (config_.broad_phase == BroadPhase::grid) refuse_grid();
    grid_ = false;
    return;
  }
  cells_ = choice.grid;
  const u32 cells = cells_.count();
  cell_ = DeviceBuffer<u32>(n_), slot_ = DeviceBuffer<u32>(n_), body_ = DeviceBuffer<u32>(n_);
  begin_ = DeviceBuffer<u32>(u64{cells} + 1);
  strip_count_ = DeviceBuffer<u32>(1);
  sorted_ = DeviceBuffer<Sphere<Real>>(n_);
  strips_ = DeviceBuffer<CellStrip>(grid_strips(n_, cells));
  scan_ = DeviceBuffer<unsigned char>(grid_scan_bytes(cells));
  if (share_.ranks > 1) domain_ = DeviceBuffer<GridDomain>(1);
}

template <class Real>
void OverlapSearch<Real>::prepare(u64 capacity) {
  pairs_ = {};
  require_device_memory(static_cast<double>(capacity) * sizeof(uint2),
                        fmt::format("the list of {} overlapping pairs", capacity), "Use fewer bodies or smaller radii");
  pairs_ = DeviceBuffer<uint2>(capacity);
  if (grid_) return;
  const CollisionOutput out{count_.data(), nullptr, pairs_.data(), capacity};
  slices_ = tiles_ && alone_ ? slices_for(config_, n_, current_device()) : 1;
  search_ = tiles_
                ? prepare_collision_tiles<Real>(config_.pair_map, n_, block_, 3, spheres_.data(), out, image_, slices_)
                : prepare_collision_elements<Real>(config_.pair_map, n_, block_, 3, spheres_.data(), out, image_);
}

template <class Real>
void OverlapSearch<Real>::enqueue(cudaStream_t stream, const DeviceState<Real>& state) {
  enqueue_spheres(stream, state, spheres_.data());
  enqueue_spheres_as_they_are(stream);
}

template <class Real>
void OverlapSearch<Real>::enqueue_spheres_as_they_are(cudaStream_t stream) {
  count_.fill_bytes(0, stream);
  if (!grid_) {
    return enqueue_watched(search_, slices_, stream);
  }
  candidates_.fill_bytes(0, stream);
  const GridArrays<Real> arrays{cell_.data(),   slot_.data(),        begin_.data(), sorted_.data(), body_.data(),
                                strips_.data(), strip_count_.data(), scan_.data(),  domain_.data()};
  enqueue_grid_search(stream, config_.pair_map, cells_, n_, spheres_.data(), arrays,
                      CollisionOutput{count_.data(), nullptr, pairs_.data(), pairs_.size()}, image_, candidates_.data(),
                      share_);
}

template <class Real>
u64 OverlapSearch<Real>::looked_at(cudaStream_t stream) const {
  return grid_ ? candidates_.download(stream)[0] : triangular(u64{n_} - 1);
}

template <class Real>
void OverlapSearch<Real>::grow(cudaStream_t stream) {
  const u64 count = found(stream);
  prepare(std::max<u64>(pairs_.size(), std::min(triangular(u64{n_} - 1), count + count / 4)));
}

template u64 overlap_search_bytes<float>(const EngineConfig&, u64);
template u64 overlap_search_bytes<double>(const EngineConfig&, u64);
template class OverlapSearch<float>;
template class OverlapSearch<double>;

}  // namespace tri::cuda
