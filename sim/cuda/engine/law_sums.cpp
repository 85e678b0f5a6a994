#include "sim/cuda/engine/law_sums.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/jit/typed_kernels.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
u64 ordered_sums_bytes(const EngineConfig& config, u64 n) {
  if (config.accumulate == Accumulate::fast) return 0;
  return n * (ordered_bins(config.precision) * 3 * sizeof(unsigned long long) + sizeof(u32));
}

template <class Real>
SumMemory<Real>::SumMemory(Accumulate accumulate, u32 n, cudaStream_t stream) {
  if (accumulate == Accumulate::fast) return;
  bins_ = DeviceBuffer<unsigned long long>(std::size_t{n} * 3 * ordered_bins(kPrecisionOf<Real>));
  broken_ = DeviceBuffer<u32>(n);
  left_ = DeviceBuffer<unsigned long long>(1);
  reset(stream);
}

template <class Real>
void SumMemory<Real>::reset(cudaStream_t stream) {
  if (ordered()) bins_.fill_bytes(0, stream), broken_.fill_bytes(0, stream), left_.fill_bytes(0, stream);
}

template <class Real>
PairSums<Real> SumMemory<Real>::begin(Vec4<Real>* out, std::size_t size, cudaStream_t stream) {
  if (!ordered()) clear_sums(out, size, stream);
  return {out, bins_.data(), broken_.data()};
}

template <class Real>
void SumMemory<Real>::finish(const PairSums<Real>& sums, cudaStream_t stream, DeviceRanks* ranks) {
  if (!ordered()) return;
  if (ranks != nullptr) {
    ranks->enqueue_sum(stream, std::span(bins_.data(), bins_.size()));
    ranks->enqueue_max(stream, std::span(broken_.data(), broken_.size()));
  }
  finish_ordered_sums(sums, static_cast<u32>(broken_.size()), left_.data(), stream);
}

template <class Real>
bool SumMemory<Real>::left_range(cudaStream_t stream) {
  if (!ordered()) return false;
  const bool left = left_.download(stream)[0] != 0;
  if (left) left_.fill_bytes(0, stream);
  return left;
}

template <class Real>
LawSums<Real>::LawSums(const ForceField& field, const EngineConfig& config, u32 n, int device, DeviceRanks* ranks)
    : field_(field), ranks_(ranks), n_(n) {
  TRI_EXPECTS(config.precision == kPrecisionOf<Real>);
  TRI_CUDA(cudaSetDevice(device));
}

template <class Real>
GridCut LawSums<Real>::cut_of(u32 slices) const {
  return ranks_ == nullptr ? GridCut(slices) : GridCut(slices, ranks_->rank(), ranks_->size());
}

template <class Real>
void LawSums<Real>::share_partials(cudaStream_t stream) {
  if (ranks_ != nullptr) ranks_->enqueue_sum(stream, std::span(partials_.data(), partials_.size()));
}

template <class Real>
PairEnergy LawSums<Real>::total_of_partials(cudaStream_t stream) {
  share_partials(stream);
  enqueue_pair_energy_total(partials_.data(), energies_.data(), stream);
  const std::vector<double> sums = energies_.download(stream);
  return {sums[0], sums[1]};
}

template <class Real>
void LawSums<Real>::require_memory(const EngineConfig& config, u64 (*bytes_of)(const EngineConfig&, u64)) const {
  require_device_memory_for([&](u64 n) { return bytes_of(config, n); }, n_,
                            fmt::format("the {} sums of {} bodies", to_string(config.accumulate), n_), "Use --n ",
                            config.accumulate == Accumulate::ordered ? " or less, or --accumulate fast" : " or less");
}

template <class Real>
void LawSums<Real>::prepare(PairWork<Real> work, u32 slices, const EngineConfig& config, u32 block, u32 copies,
                            u32 partials, u32 energies) {
  work_ = std::move(work);
  slices_ = ranks_ == nullptr ? slices : 1;  // one rank alone must not end an evaluation
  block_ = block;
  if (ranks_ != nullptr) own_timer_.emplace();
  sums_ = SumMemory<Real>(config.accumulate, n_, nullptr);
  copies_ = DeviceBuffer<Vec4<Real>>(sums_.ordered() ? 0 : std::size_t{n_} * copies);
  partials_ = DeviceBuffer<double>(std::size_t{partials} * energies);
  energies_ = DeviceBuffer<double>(energies);
  TRI_CUDA(cudaStreamSynchronize(nullptr));
}

template <class Real>
void LawSums<Real>::agree() const {
  if (ranks_ != nullptr) ranks_->agree("tiles", block_), ranks_->agree("grids", work_.launches);
}

template <class Real>
void LawSums<Real>::keep_sorted(cudaStream_t stream, const DeviceState<Real>& state, u32 evaluations) {
  if (!sort_) return;
  if (since_sort_ >= kSortEvery) sort_(stream, state), since_sort_ = 0;
  since_sort_ += evaluations;
}

template <class Real>
void LawSums<Real>::enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out, unsigned flags) {
  TRI_EXPECTS(state.n == n_);
  if (own_timer_) own_timer_->start(stream, flags);
  const std::size_t size = copies_.size();
  const PairSums<Real> sums = sums_.begin(size > 0 ? copies_.data() : out, size > 0 ? size : clears_ ? n_ : 0, stream);
  try {
    enqueue_watched(work_, slices_, stream, state, sums);
  } catch (const InterruptedError&) {
    sums_.reset(stream);
    throw;
  }
  if (own_timer_) own_timer_->stop(stream, flags), evaluated_ = true;
  sums_.finish(sums, stream, ranks_);
  if (size > 0) gather_triple_sums(copies_.data(), static_cast<u32>(size / n_), n_, out, stream);
  if (ranks_ != nullptr && !sums_.ordered()) ranks_->enqueue_sum(stream, std::span(&out->x, 4 * std::size_t{n_}));
}

template class SumMemory<float>;
template class SumMemory<double>;
template class LawSums<float>;
template class LawSums<double>;

// The sums of a pair law: tiles and arithmetic for a configuration, memory, and energies.

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
    default:
      break;  // automatic; tensor_refusal() refuses others
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
  if (config.pairs == PairSearch::tree) return energy + tree_gravity_bytes(n, config.precision);
  const bool tensor =
      config.precision == Precision::fp32 && (config.arithmetic == Arithmetic::tensor || tensor_is_worth_it(config, n));
  return energy + ordered_sums_bytes(config, n) + (tensor ? tensor_gravity_bytes(n, config.accumulate) : 0);
}

template <class Real>
PairForces<Real>::PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device, DeviceRanks* ranks)
    : LawSums<Real>(field, config, n, device, ranks), map_(config.pair_map) {
  check_size(config, n);
  if (config.pairs == PairSearch::tree) {
    if (const std::string text = map_refusal(info(map_), n, {kTensorBlock, true, device_table_memory()});
        !text.empty()) {
      throw ConfigError(text);
    }
    this->require_memory(config, pair_forces_bytes);
    TreeGravity<Real> gravity =
        prepare_tree_gravity<Real>(field, map_, n, tree_tolerance(config), false, ranks == nullptr ? 0 : ranks->rank(),
                                   ranks == nullptr ? 1 : ranks->size());
    EngineConfig plain = config;
    plain.accumulate = Accumulate::fast;  // the sums are in order as they are
    this->prepare(std::move(gravity.sums), 1, plain, kTensorBlock, 0, kEnergyBlocks, 2);
    this->clears_ = ranks != nullptr;
    met_ = std::move(gravity.met), falls_ = std::move(gravity.falls);
    return;
  }
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
  if (by_tree()) return tree_energy(stream, state);
  enqueue_pair_energy(this->field_, state, this->partials_.data(), this->cut_of(1), stream);
  return this->total_of_partials(stream);
}

template <class Real>
PairEnergy PairForces<Real>::tree_energy(cudaStream_t stream, const DeviceState<Real>& state) {
  constexpr double kTolerance = 3e-6;  // potentials are better than accelerations by an order or more
  DeviceRanks* const ranks = this->ranks_;
  const u64 bytes = tree_gravity_bytes(state.n, Precision::fp64) + 2 * u64{state.n} * sizeof(Vec4<double>);
  require_device_memory(static_cast<double>(bytes), fmt::format("the energy of {} bodies by a tree", state.n),
                        "Use fewer bodies");
  DeviceBuffer<Vec4<double>> bodies(state.n), pulls(state.n);
  enqueue_widened_state(stream, state, bodies.data());
  const DeviceState<double> wide{bodies.data(), nullptr, state.n, nullptr};
  const TreeGravity<double> gravity =
      prepare_tree_gravity<double>(this->field_, map_, state.n, kTolerance, true, ranks == nullptr ? 0 : ranks->rank(),
                                   ranks == nullptr ? 1 : ranks->size());
  if (ranks != nullptr) pulls.fill_bytes(0, stream);
  gravity.sums.enqueue(stream, wide, {pulls.data(), nullptr, nullptr});
  if (ranks != nullptr) ranks->enqueue_sum(stream, std::span(&pulls.data()->x, 4 * std::size_t{state.n}));
  if (ranks == nullptr || ranks->rank() == 0) {
    enqueue_tree_energy(stream, wide, pulls.data(), this->partials_.data());
  } else {
    this->partials_.fill_bytes(0, stream);
  }
  return this->total_of_partials(stream);
}

template class PairForces<float>;
template class PairForces<double>;

// The sums of a triple law: tiles or products for a configuration, and memory.

namespace {

bool is_papers(u32 block) { return block == kTripleBlocks.begin()[0] || block == kTripleBlocks.begin()[1]; }

u32 copies_for(u32 block) { return is_papers(block) ? kElementCopies : kTripleCopies; }

/// sum r.F over the bodies of a triple is nine times its energy, which scales as the inverse ninth power of its size.
constexpr double kAxilrodTellerVirial = 9;

/// Throws ConfigError for a law that the kernels do not know.
void check_law(TripleLaw law) {
  switch (law) {
    case TripleLaw::axilrod_teller:
    case TripleLaw::typed:
      return;
    case TripleLaw::none:
      break;
  }
  throw ConfigError(
      fmt::format("the cuda backend has no kernels for the triple law {}; use --backend cpu.", to_string(law)));
}

/// Throws ConfigError for what the kernels do not do.
u32 block_for(bool compiled, const EngineConfig& config, u64 n) {
  const bool fast = config.accumulate == Accumulate::fast && !compiled;
  std::vector<u32> blocks(kTripleTiles);
  // The papers' kernel adds in the order in which blocks come, and in float32, and knows one law and the built-in maps.
  if (fast && config.precision == Precision::fp32) blocks.insert(blocks.begin(), kTripleBlocks);
  return choose_triple_block(config.triple_map, n, config.triple_block, kTripleCube, blocks);
}

/// Bodies from which products on tensor cores are faster than tiles.
constexpr u64 products_from(Precision precision) { return precision == Precision::fp64 ? 448 : 1152; }

bool product_block(const EngineConfig& config) {
  return config.triple_block == 0 || config.triple_block == kProductBlock;
}

/// Whether `automatic` may stand for products, whatever the device: not under ordered sums, which are equal over all
/// blocks, and not under a map of triples that was chosen, since products are those of pairs.
bool products_are_worth_it(const EngineConfig& config, u64 n) {
  return config.arithmetic == Arithmetic::automatic && config.accumulate == Accumulate::fast &&
         n >= products_from(config.precision) && product_block(config) &&
         config.triple_map == EngineConfig().triple_map;
}

/// Throws ConfigError for what was asked for and is not there.
bool uses_products(TripleLaw law, const EngineConfig& config, u64 n, int device) {
  // With a typed law, `tensor` was asked for the pairs.
  if (config.arithmetic == Arithmetic::float32 || law == TripleLaw::typed) return false;
  std::string refusal;
  const bool fp64 = config.precision == Precision::fp64;
  if (!(fp64 ? has_triple_products(device) : has_triple_half_products(device))) {
    refusal = no_tensor_code_on(device, fp64 ? 9 : 8, fmt::format(" for triples in {}", to_string(config.precision)));
  } else if (!product_block(config)) {
    refusal = fmt::format("--block {} is no tile of triples under --arithmetic tensor; leave it out, or use {}.",
                          config.triple_block, kProductBlock);
  } else if (n == 0 || n > kMaxTripleElements) {
    refusal =
        fmt::format("--n {} is out of range for triples on the cuda backend; use 1 to {}.", n, kMaxTripleElements);
  } else {
    refusal = map_refusal(info(product_map(config)), n, {kProductBlock, true, device_table_memory()});
  }
  if (config.arithmetic == Arithmetic::automatic) return refusal.empty() && products_are_worth_it(config, n);
  if (!refusal.empty()) throw ConfigError(refusal);
  return true;
}

template <class Real>
PairWork<Real> products_for(const AxilrodTellerParams& law, const EngineConfig& config, u32 n, const GridCut& cut) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return prepare_triple_half_products(law, product_map(config), n, config.accumulate, cut);
  } else {
    return prepare_triple_products(law, product_map(config), n, config.accumulate, cut);
  }
}

template <class Real>
PairWork<Real> work_for(const ForceField& field, const EngineConfig& config, u32 n, u32 block, const GridCut& cut) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    if (is_papers(block)) return prepare_triple_elements(field.axilrod_teller, config.triple_map, n, block, cut);
  }
  return prepare_triple_tiles<Real>(field, config.triple_map, n, block, config.accumulate, cut);
}

}  // namespace

u64 triple_forces_bytes(const EngineConfig& config, u64 n) {
  const u64 energy = (kTripleEnergyBlocks + 1) * sizeof(double) + sizeof(unsigned long long);
  const u64 vec4 = config.precision == Precision::fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>);
  const u64 copies = config.accumulate == Accumulate::fast ? copies_for(config.triple_block) : 0;
  u64 products = 0;
  if (config.arithmetic == Arithmetic::tensor || products_are_worth_it(config, n)) {
    products = config.precision == Precision::fp32 ? triple_half_products_bytes(n) : triple_products_bytes(n);
  }
  return energy + n * copies * vec4 + ordered_sums_bytes(config, n) + products;
}

template <class Real>
TripleForces<Real>::TripleForces(const ForceField& field, const EngineConfig& config, u32 n, int device,
                                 DeviceRanks* ranks)
    : LawSums<Real>(field, config, n, device, ranks) {
  check_law(field.triple);
  if (uses_products(field.triple, config, n, device)) {
    this->require_memory(config, triple_forces_bytes);
    const u32 slices = slices_for_triples(config, n, device);
    this->prepare(products_for<Real>(field.axilrod_teller, config, n, this->cut_of(slices)), slices, config,
                  kProductBlock, kTripleCopies, kTripleEnergyBlocks, 1);
    this->on_tensor_cores_ = true;
    return;
  }
  const bool compiled = field.triple == TripleLaw::typed || info(config.triple_map).typed != nullptr;
  const u32 block = block_for(compiled, config, n);
  this->require_memory(config, triple_forces_bytes);
  const bool typed = field.triple == TripleLaw::typed;
  const double triples = n < 3 ? 0.0 : static_cast<double>(tetrahedral(u64{n} - 2));
  const u32 slices = typed ? slices_for_items(config, triples * typed_work(*field.typed_triple.law), device)
                           : slices_for_triples(config, n, device);
  const u32 energies = typed ? 2 : 1;
  this->prepare(work_for<Real>(field, config, n, block, this->cut_of(slices)), slices, config, block, copies_for(block),
                energies * kTripleEnergyBlocks, energies);
}

template <class Real>
PairEnergy TripleForces<Real>::energies(cudaStream_t stream, const DeviceState<Real>& state) {
  TRI_EXPECTS(state.n == this->n_);
  if (this->field_.triple == TripleLaw::typed) {
    enqueue_typed_triple_energy(this->field_, state, this->partials_.data(), this->cut_of(1), stream);
    return this->total_of_partials(stream);
  }
  enqueue_triple_energy(state, this->partials_.data(), this->cut_of(1), stream);
  this->share_partials(stream);
  enqueue_triple_energy_total(this->field_.axilrod_teller, this->partials_.data(), this->energies_.data(), stream);
  const double potential = this->energies_.download(stream)[0];
  return {potential, kAxilrodTellerVirial * potential};
}

template class TripleForces<float>;
template class TripleForces<double>;

}  // namespace tri::cuda
