// The sums of a triple law: tiles or products for a configuration, and memory.

#include <fmt/format.h>

#include "sim/backend/map_limits.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/jit/typed_work.hpp"
#include "sim/cuda/kernels/triples/triple_half_products.hpp"
#include "sim/cuda/kernels/triples/triple_products.hpp"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "sim/cuda/kernels/triples/typed_triples.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/kernel_code.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
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
    this->share_partials(stream);
    enqueue_pair_energy_total(this->partials_.data(), this->energies_.data(), stream);
    const std::vector<double> sums = this->energies_.download(stream);
    return {sums[0], sums[1]};
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
