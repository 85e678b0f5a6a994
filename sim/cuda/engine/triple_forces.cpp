#include "sim/cuda/engine/triple_forces.hpp"

#include <fmt/format.h>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/slicing.hpp"

namespace tri::cuda {
namespace {

template <class Real>
constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

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
  if (config.accumulate == Accumulate::fast) return energy + n * copies_for(config.triple_block) * vec4;
  return energy + n * (ordered_bins(config.precision) * 3 * sizeof(unsigned long long) + sizeof(u32));
}

template <class Real>
struct TripleForces<Real>::Impl {
  AxilrodTellerParams law;
  Accumulate accumulate;
  u32 n, block;
  PairWork<Real> work;
  DeviceBuffer<Vec4<Real>> copies;
  DeviceBuffer<unsigned long long> bins;
  DeviceBuffer<u32> broken;
  DeviceBuffer<unsigned long long> left;
  DeviceBuffer<double> energy;
};

template <class Real>
TripleForces<Real>::TripleForces(const AxilrodTellerParams& law, const EngineConfig& config, u32 n, int device) {
  TRI_EXPECTS(config.precision == kPrecisionOf<Real>);
  TRI_CUDA(cudaSetDevice(device));
  const u32 block = block_for(config, n);
  const bool ordered = config.accumulate == Accumulate::ordered;
  const auto bytes = [&](u64 bodies) { return triple_forces_bytes(config, bodies); };
  require_device_memory_for(bytes, n, fmt::format("the {} sums of {} bodies", to_string(config.accumulate), n),
                            "Use --n ", ordered ? " or less, or --accumulate fast" : " or less");
  const std::size_t bodies = ordered ? n : 0;
  impl_ = std::make_unique<Impl>(Impl{
      law, config.accumulate, n, block, work_for<Real>(law, config, n, block, slices_for_triples(config, n, device)),
      DeviceBuffer<Vec4<Real>>(ordered ? 0 : std::size_t{n} * copies_for(block)),
      DeviceBuffer<unsigned long long>(bodies * 3 * ordered_bins(config.precision)), DeviceBuffer<u32>(bodies),
      DeviceBuffer<unsigned long long>(1), DeviceBuffer<double>(kTripleEnergyBlocks + 1)});
  impl_->bins.fill_bytes(0, nullptr);
  impl_->broken.fill_bytes(0, nullptr);
  impl_->left.fill_bytes(0, nullptr);
  TRI_CUDA(cudaStreamSynchronize(nullptr));
}

template <class Real>
TripleForces<Real>::TripleForces(TripleForces&&) noexcept = default;
template <class Real>
TripleForces<Real>& TripleForces<Real>::operator=(TripleForces&&) noexcept = default;
template <class Real>
TripleForces<Real>::~TripleForces() = default;

template <class Real>
u32 TripleForces<Real>::block() const {
  return impl_->block;
}

template <class Real>
u64 TripleForces<Real>::blocks_launched() const {
  return impl_->work.launched;
}

template <class Real>
u64 TripleForces<Real>::blocks_useful() const {
  return impl_->work.useful;
}

template <class Real>
void TripleForces<Real>::enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out) {
  Impl& impl = *impl_;
  TRI_EXPECTS(state.n == impl.n);
  const bool ordered = impl.accumulate == Accumulate::ordered;
  const PairSums<Real> sums{ordered ? out : impl.copies.data(), impl.bins.data(), impl.broken.data()};
  impl.copies.fill_bytes(0, stream);
  for (u32 k = 0; k < impl.work.launches; ++k) impl.work.launch(stream, k, state, sums);
  if (ordered) {
    finish_ordered_sums(sums, impl.n, impl.left.data(), stream);
  } else {
    gather_triple_sums(impl.copies.data(), copies_for(impl.block), impl.n, out, stream);
  }
}

template <class Real>
bool TripleForces<Real>::left_range(cudaStream_t stream) {
  if (impl_->accumulate == Accumulate::fast) return false;
  const bool left = impl_->left.download(stream)[0] != 0;
  if (left) impl_->left.fill_bytes(0, stream);
  return left;
}

template <class Real>
double TripleForces<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  TRI_EXPECTS(state.n == impl_->n);
  double* const partial = impl_->energy.data();
  double* const result = partial + kTripleEnergyBlocks;
  enqueue_triple_energy(impl_->law, state, partial, result, stream);
  double value = 0;
  TRI_CUDA(cudaMemcpyAsync(&value, result, sizeof(value), cudaMemcpyDeviceToHost, stream));
  TRI_CUDA(cudaStreamSynchronize(stream));
  return value;
}

template class TripleForces<float>;
template class TripleForces<double>;

}  // namespace tri::cuda
