#include "sim/cuda/engine/pair_forces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/backend/map_limits.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/device_tuning.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/pairs/pair_tuning.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
namespace {

template <class Real>
constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

/// Throws ConfigError for what the kernels do not do.
void check_size(const EngineConfig& config, u64 n) {
  if (n == 0 || n > kMaxElements) {
    throw ConfigError(fmt::format("--n {} is out of range on the cuda backend; use 1 to {}.", n, kMaxElements));
  }
  if (config.accumulate == Accumulate::ordered && n > kMaxOrdered) {
    throw ConfigError(fmt::format(
        "ordered sums on the cuda backend take up to {} bodies; n = {}. Use --accumulate fast.", kMaxOrdered, n));
  }
}

/// Throws ConfigError for a block that is no tile, and with the map's refusal.
PairTiling tiling_for(PairLaw law, const EngineConfig& config, u64 n, int device) {
  const bool ordered = config.accumulate == Accumulate::ordered;
  std::vector<u32> tiles;
  for (const u32 tile : kPairTiles) {
    if (tile_serves(law, config.precision, config.accumulate, n, tile)) tiles.push_back(tile);
  }
  u32 tile = config.pair_block;
  if (tile == 0) {
    tile = tuned_pair_tile(law, config.precision, n, device);
    // What was measured is fast sums; ordered ones have fewer tiles.
    if (std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) tile = tiles.front();
  }
  if (std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) {
    throw ConfigError(fmt::format("--block {} is no tile of {}forces on the cuda backend; use {}.", tile,
                                  ordered ? "ordered " : "", fmt::join(tiles, ", ")));
  }
  const MapLimits limits{tile, true, device_table_memory()};
  if (const std::string text = map_refusal(info(config.pair_map), n, limits); !text.empty()) throw ConfigError(text);
  return ordered ? ordered_tiling(law, config.precision, n, tile) : fast_tiling(law, config.precision, tile);
}

void require_memory(const EngineConfig& config, u64 n) {
  const auto bytes = [&](u64 bodies) { return pair_forces_bytes(config, bodies); };
  require_device_memory(bytes(n), fmt::format("the {} sums of {} bodies", to_string(config.accumulate), n),
                        fmt::format("Use --n {} or less{}", largest_that_fits(bytes, free_device_memory()),
                                    config.accumulate == Accumulate::ordered ? ", or --accumulate fast" : ""));
}

}  // namespace

u64 pair_forces_bytes(const EngineConfig& config, u64 n) {
  const u64 energy = (2 * kEnergyBlocks + 2) * sizeof(double) + sizeof(unsigned long long);
  if (config.accumulate == Accumulate::fast) return energy;
  return energy + n * (ordered_bins(config.precision) * 3 * sizeof(unsigned long long) + sizeof(u32));
}

template <class Real>
struct PairForces<Real>::Impl {
  ForceField field;
  Accumulate accumulate;
  u32 n;
  PairTiling tiling;
  PairWork<Real> work;
  DeviceBuffer<unsigned long long> bins;
  DeviceBuffer<u32> broken;
  DeviceBuffer<unsigned long long> left;
  DeviceBuffer<double> energy;
};

template <class Real>
PairForces<Real>::PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device) {
  TRI_EXPECTS(config.precision == kPrecisionOf<Real>);
  TRI_CUDA(cudaSetDevice(device));
  check_size(config, n);
  const PairTiling tiling = tiling_for(field.pair, config, n, device);
  require_memory(config, n);
  const bool ordered = config.accumulate == Accumulate::ordered;
  const std::size_t bodies = ordered ? n : 0;
  impl_ = std::make_unique<Impl>(Impl{
      field, config.accumulate, n, tiling,
      prepare_pair_tiles<Real>(field, config.pair_map, n, tiling, config.accumulate, slices_for(config, n, device)),
      DeviceBuffer<unsigned long long>(bodies * 3 * ordered_bins(config.precision)), DeviceBuffer<u32>(bodies),
      DeviceBuffer<unsigned long long>(1), DeviceBuffer<double>(2 * kEnergyBlocks + 2)});
  impl_->bins.fill_bytes(0, nullptr);
  impl_->broken.fill_bytes(0, nullptr);
  impl_->left.fill_bytes(0, nullptr);
  TRI_CUDA(cudaStreamSynchronize(nullptr));
}

template <class Real>
PairForces<Real>::PairForces(PairForces&&) noexcept = default;
template <class Real>
PairForces<Real>& PairForces<Real>::operator=(PairForces&&) noexcept = default;
template <class Real>
PairForces<Real>::~PairForces() = default;

template <class Real>
u32 PairForces<Real>::block() const {
  return impl_->tiling.tile;
}

template <class Real>
u64 PairForces<Real>::blocks_launched() const {
  return impl_->work.launched;
}

template <class Real>
u64 PairForces<Real>::blocks_useful() const {
  return impl_->work.useful;
}

template <class Real>
void PairForces<Real>::enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out) {
  Impl& impl = *impl_;
  TRI_EXPECTS(state.n == impl.n);
  const PairSums<Real> sums{out, impl.bins.data(), impl.broken.data()};
  const bool ordered = impl.accumulate == Accumulate::ordered;
  if (!ordered) TRI_CUDA(cudaMemsetAsync(out, 0, impl.n * sizeof(Vec4<Real>), stream));
  for (u32 k = 0; k < impl.work.launches; ++k) impl.work.launch(stream, k, state, sums);
  if (ordered) finish_ordered_sums(sums, impl.n, impl.left.data(), stream);
}

template <class Real>
bool PairForces<Real>::left_range(cudaStream_t stream) {
  if (impl_->accumulate == Accumulate::fast) return false;
  const bool left = impl_->left.download(stream)[0] != 0;
  if (left) impl_->left.fill_bytes(0, stream);
  return left;
}

template <class Real>
PairEnergy PairForces<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  TRI_EXPECTS(state.n == impl_->n);
  double* const partial = impl_->energy.data();
  double* const result = partial + 2 * kEnergyBlocks;
  enqueue_pair_energy(impl_->field, state, partial, result, stream);
  double values[2];
  TRI_CUDA(cudaMemcpyAsync(values, result, sizeof(values), cudaMemcpyDeviceToHost, stream));
  TRI_CUDA(cudaStreamSynchronize(stream));
  return {values[0], values[1]};
}

template class PairForces<float>;
template class PairForces<double>;

}  // namespace tri::cuda
