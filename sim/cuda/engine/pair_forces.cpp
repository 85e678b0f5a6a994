// The sums of a pair law: tiles and arithmetic for a configuration, memory, and energies.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "sim/backend/arithmetic.hpp"
#include "sim/backend/map_limits.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/device_tuning.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/jit/typed_work.hpp"
#include "sim/cuda/kernels/pairs/pair_tuning.hpp"
#include "sim/cuda/kernels/tensor/tensor_gravity.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/kernel_code.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/maps/figurate.hpp"
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
  if (ordered) return ordered_tiling(law, config.precision, n, tile);
  return fast_tiling(law, config.precision, tile, tiles_of(n, tile) <= kFewTiles * multiprocessors_of(device));
}

/// Bodies from which sums on tensor cores are faster than plain ones, and so accurate that `automatic` may stand for
/// them (with 32,768 they are 27 % faster, but the largest error in a Plummer sphere is 4.7 times float32's), and to
/// which their lists of tiles stay small.
constexpr u64 kTensorFrom = 65536, kTensorTo = u64{1} << 24;
/// By the errors of docs/tensor.md. automatic: at most 1.5 times the rms error of plain float32 sums and 3 times the
/// largest, in clouds that are neither flat nor thin.
TensorLimits limits_of(Tolerance tolerance) {
  switch (tolerance) {
    case Tolerance::close:
      return {0.05f, 0.22f, 0.35f, 0.04f, 6e-6f};
    case Tolerance::middle:
      return {0.07f, 0.30f, 0.35f, 0.06f, 2.5e-5f};
    case Tolerance::loose:
      return {0.09f, 0.30f, 0.35f, 0.06f, 5e-5f};
    case Tolerance::automatic:
      break;
  }
  return {0.06f, 0.26f, 0.35f, 0.06f, 1.1e-5f};
}

bool tensor_block(const EngineConfig& config) { return config.pair_block == 0 || config.pair_block == kTensorBlock; }

/// Whether `automatic` may stand for tensor cores, whatever the device and the law. Never under ordered sums: those are
/// equal over all blocks, most of which only plain sums have.
bool tensor_is_worth_it(const EngineConfig& config, u64 n) {
  return config.arithmetic == Arithmetic::automatic && config.accumulate == Accumulate::fast && n >= kTensorFrom &&
         n <= kTensorTo && tensor_block(config);
}

/// Throws ConfigError for what was asked for and is not there.
bool uses_tensor(const ForceField& field, const EngineConfig& config, u64 n, int device) {
  if (config.arithmetic == Arithmetic::float32) return false;
  const bool triples = field.triple != TripleLaw::none;  // which tensor cores may compute without the pairs
  if (triples && (field.pair != PairLaw::gravity || config.precision != Precision::fp32)) return false;
  std::string refusal = tensor_refusal(field, config);
  if (refusal.empty() && !has_tensor_gravity(device)) {
    refusal = no_tensor_code_on(device, 8);
  }
  if (refusal.empty() && !tensor_block(config)) {
    refusal = fmt::format("--block {} is no tile of --arithmetic tensor; leave it out, or use {}.", config.pair_block,
                          kTensorBlock);
  }
  if (refusal.empty()) {
    refusal = map_refusal(info(config.pair_map), n, {kTensorBlock, true, device_table_memory()});
  }
  if (config.arithmetic == Arithmetic::automatic) return refusal.empty() && tensor_is_worth_it(config, n);
  if (!refusal.empty()) throw ConfigError(refusal);
  return true;
}

}  // namespace

u64 pair_forces_bytes(const EngineConfig& config, u64 n) {
  const u64 energy = (2 * kEnergyBlocks + 2) * sizeof(double) + sizeof(unsigned long long);
  const bool tensor =
      config.precision == Precision::fp32 && (config.arithmetic == Arithmetic::tensor || tensor_is_worth_it(config, n));
  return energy + ordered_sums_bytes(config, n) + (tensor ? tensor_gravity_bytes(n, config.accumulate) : 0);
}

template <class Real>
PairForces<Real>::PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device, DeviceRanks* ranks)
    : LawSums<Real>(field, config, n, device, ranks) {
  check_size(config, n);
  const double work = field.pair == PairLaw::typed ? typed_work(*field.typed_pair.law) : 1;
  const u32 slices = slices_for_items(config, static_cast<double>(triangular(u64{n} - 1)) * work, device);
  if (uses_tensor(field, config, n, device)) {
    if constexpr (std::is_same_v<Real, float>) {
      this->require_memory(config, pair_forces_bytes);
      TensorGravity gravity = prepare_tensor_gravity(field, config.pair_map, n, limits_of(config.tolerance),
                                                     config.accumulate, this->cut_of(slices));
      this->prepare(std::move(gravity.sums), slices, config, kTensorBlock, 0, kEnergyBlocks, 2);
      this->sort_ = std::move(gravity.sort);
      this->on_tensor_cores_ = true;
      this->clears_ = false;
      return;
    }
  }
  const PairTiling tiling = tiling_for(shaped_as(field), config, n, device);
  this->require_memory(config, pair_forces_bytes);
  this->prepare(prepare_pair_tiles<Real>(field, config.pair_map, n, tiling, config.accumulate, this->cut_of(slices)),
                slices, config, tiling.tile, 0, kEnergyBlocks, 2);
}

template <class Real>
PairEnergy PairForces<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  TRI_EXPECTS(state.n == this->n_);
  enqueue_pair_energy(this->field_, state, this->partials_.data(), this->cut_of(1), stream);
  this->share_partials(stream);
  enqueue_pair_energy_total(this->partials_.data(), this->energies_.data(), stream);
  const std::vector<double> sums = this->energies_.download(stream);
  return {sums[0], sums[1]};
}

template class PairForces<float>;
template class PairForces<double>;

}  // namespace tri::cuda
