#include "sim/cuda/engine/triple_forces.hpp"

#include <fmt/format.h>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"

namespace tri::cuda {
namespace {

bool is_papers(u32 block) { return block == kTripleBlocks.begin()[0] || block == kTripleBlocks.begin()[1]; }

u32 copies_for(u32 block) { return is_papers(block) ? kElementCopies : kTripleCopies; }

/// Throws ConfigError for what the kernels do not do.
u32 block_for(const EngineConfig& config, u64 n) {
  const bool fast = config.accumulate == Accumulate::fast;
  std::vector<u32> blocks(kTripleTiles);
  // The papers' kernel adds in the order in which blocks come, and in float32.
  if (fast && config.precision == Precision::fp32) blocks.insert(blocks.begin(), kTripleBlocks);
  return choose_triple_block(config.triple_map, n, config.triple_block, kTripleCube, blocks);
}

template <class Real>
PairWork<Real> work_for(const AxilrodTellerParams& law, const EngineConfig& config, u32 n, u32 block, u32 slices) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    if (is_papers(block)) return prepare_triple_elements(law, config.triple_map, n, block);
  }
  return prepare_triple_tiles<Real>(law, config.triple_map, n, block, config.accumulate, slices);
}

}  // namespace

u64 triple_forces_bytes(const EngineConfig& config, u64 n) {
  const u64 energy = (kTripleEnergyBlocks + 1) * sizeof(double) + sizeof(unsigned long long);
  const u64 vec4 = config.precision == Precision::fp32 ? sizeof(Vec4<float>) : sizeof(Vec4<double>);
  const u64 copies = config.accumulate == Accumulate::fast ? copies_for(config.triple_block) : 0;
  return energy + n * copies * vec4 + ordered_sums_bytes(config, n);
}

template <class Real>
TripleForces<Real>::TripleForces(const AxilrodTellerParams& law, const EngineConfig& config, u32 n, int device)
    : LawSums<Real>(config, n, device), law_(law) {
  const u32 block = block_for(config, n);
  const bool ordered = this->ordered();
  const auto bytes = [&](u64 bodies) { return triple_forces_bytes(config, bodies); };
  require_device_memory_for(bytes, n, fmt::format("the {} sums of {} bodies", to_string(config.accumulate), n),
                            "Use --n ", ordered ? " or less, or --accumulate fast" : " or less");
  copies_ = DeviceBuffer<Vec4<Real>>(ordered ? 0 : std::size_t{n} * copies_for(block));
  this->prepare(work_for<Real>(law, config, n, block, slices_for_triples(config, n, device)), block,
                kTripleEnergyBlocks, 1);
}

template <class Real>
void TripleForces<Real>::enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out) {
  copies_.fill_bytes(0, stream);
  this->launch(stream, state, copies_.data(), out);
  if (!this->ordered()) gather_triple_sums(copies_.data(), copies_for(this->block_), this->n_, out, stream);
}

template <class Real>
double TripleForces<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  TRI_EXPECTS(state.n == this->n_);
  enqueue_triple_energy(law_, state, this->partials_.data(), this->energies_.data(), stream);
  return this->energies_.download(stream)[0];
}

template class TripleForces<float>;
template class TripleForces<double>;

}  // namespace tri::cuda
