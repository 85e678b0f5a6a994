#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/backend/arithmetic.hpp"
#include "sim/backend/map_limits.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/device_tuning.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/pairs/pair_tuning.hpp"
#include "sim/cuda/kernels/tensor/tensor_gravity.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
namespace {

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

/// Throws ConfigError for a block that is not a tile side, and with the map's refusal.
PairTiling tiling_for(PairLaw law, const EngineConfig& config, u64 n, int device) {
  const bool ordered = config.accumulate == Accumulate::ordered;
  std::vector<u32> tiles;
  for (const u32 tile : kPairTiles) {
    if (tile_serves(law, config.precision, config.accumulate, n, tile)) tiles.push_back(tile);
  }
  u32 tile = config.pair_block;
  if (tile == 0) {
    tile = tuned_pair_tile(law, config.precision, n, device);
    // Tuning times fast sums; ordered ones have fewer tiles.
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

/// The polynomials of each tolerance. docs/tensor.md has the errors that they were chosen by.
TensorLimits limits_of(Tolerance tolerance) {
  switch (tolerance) {
    case Tolerance::close: return {-1, 0.05f, 0.10f};
    case Tolerance::loose: return {0.10f, 0.20f, 0.35f};
    default: return {0.08f, 0.18f, 0.25f};
  }
}

std::string tensor_map_refusal(const EngineConfig& config, u64 n) {
  return map_refusal(info(config.pair_map), n, {kTensorBlock, true, device_table_memory()});
}

/// Throws ConfigError for what was asked for and is not there.
bool uses_tensor(const ForceField& field, const EngineConfig& config, u64 n, int device) {
  if (config.arithmetic != Arithmetic::tensor) return false;
  if (const std::string text = tensor_refusal(field, config); !text.empty()) throw ConfigError(text);
  if (!has_tensor_gravity(device)) {
    refuse_tensor(config, "this GPU (its compute capability is below 8.0)");
  }
  if (config.pair_block != 0 && config.pair_block != kTensorBlock) {
    throw ConfigError(fmt::format("--block {} is no tile of --arithmetic tensor; leave it out, or use {}.",
                                  config.pair_block, kTensorBlock));
  }
  if (const std::string text = tensor_map_refusal(config, n); !text.empty()) throw ConfigError(text);
  return true;
}

}  // namespace

u64 pair_forces_bytes(const EngineConfig& config, u64 n) {
  const u64 energy = (2 * kEnergyBlocks + 2) * sizeof(double) + sizeof(unsigned long long);
  const bool tensor = config.arithmetic == Arithmetic::tensor;
  return energy + ordered_sums_bytes(config, n) + (tensor ? tensor_gravity_bytes(n, config.accumulate, 1) : 0);
}

template <class Real>
PairForces<Real>::PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device)
    : LawSums<Real>(field, config, n, device) {
  check_size(config, n);
  const u32 slices = slices_for(config, n, device);
  if constexpr (std::is_same_v<Real, float>) {
    if (uses_tensor(field, config, n, device)) {
      this->require_memory(config, pair_forces_bytes);
      tolerance_ = config.tolerance == Tolerance::automatic ? Tolerance::middle : config.tolerance;
      this->prepare(prepare_tensor_gravity(field, config.pair_map, n, limits_of(tolerance_), config.accumulate, slices),
                    slices, config, kTensorBlock, 0, kEnergyBlocks, 2);
      return;
    }
  } else {
    if (config.arithmetic == Arithmetic::tensor) throw ConfigError(tensor_refusal(field, config));
  }
  const PairTiling tiling = tiling_for(field.pair, config, n, device);
  this->require_memory(config, pair_forces_bytes);
  this->prepare(prepare_pair_tiles<Real>(field, config.pair_map, n, tiling, config.accumulate, slices), slices, config,
                tiling.tile, 0, kEnergyBlocks, 2);
}

template <class Real>
PairEnergy PairForces<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  TRI_EXPECTS(state.n == this->n_);
  enqueue_pair_energy(this->field_, state, this->partials_.data(), this->energies_.data(), stream);
  const std::vector<double> sums = this->energies_.download(stream);
  return {sums[0], sums[1]};
}

template class PairForces<float>;
template class PairForces<double>;

}  // namespace tri::cuda
