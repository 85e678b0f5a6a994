#include "sim/cuda/engine/law_sums.hpp"

#include "sim/base/contracts.hpp"

namespace tri::cuda {

u64 ordered_sums_bytes(const EngineConfig& config, u64 n) {
  if (config.accumulate == Accumulate::fast) return 0;
  return n * (ordered_bins(config.precision) * 3 * sizeof(unsigned long long) + sizeof(u32));
}

template <class Real>
LawSums<Real>::LawSums(const EngineConfig& config, u32 n, int device) : accumulate_(config.accumulate), n_(n) {
  TRI_EXPECTS((config.precision == Precision::fp32) == (sizeof(Real) == sizeof(float)));
  TRI_CUDA(cudaSetDevice(device));
}

template <class Real>
void LawSums<Real>::prepare(PairWork<Real> work, u32 block, u32 partials, u32 energies) {
  work_ = std::move(work);
  block_ = block;
  const std::size_t bodies = ordered() ? n_ : 0;
  constexpr Precision kPrecision = sizeof(Real) == sizeof(float) ? Precision::fp32 : Precision::fp64;
  bins_ = DeviceBuffer<unsigned long long>(bodies * 3 * ordered_bins(kPrecision));
  broken_ = DeviceBuffer<u32>(bodies);
  left_ = DeviceBuffer<unsigned long long>(1);
  partials_ = DeviceBuffer<double>(std::size_t{partials} * energies);
  energies_ = DeviceBuffer<double>(energies);
  bins_.fill_bytes(0, nullptr);
  broken_.fill_bytes(0, nullptr);
  left_.fill_bytes(0, nullptr);
  TRI_CUDA(cudaStreamSynchronize(nullptr));
}

template <class Real>
void LawSums<Real>::launch(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* fast_out, Vec4<Real>* out) {
  TRI_EXPECTS(state.n == n_);
  const PairSums<Real> sums{ordered() ? out : fast_out, bins_.data(), broken_.data()};
  for (u32 k = 0; k < work_.launches; ++k) work_.launch(stream, k, state, sums);
  if (ordered()) finish_ordered_sums(sums, n_, left_.data(), stream);
}

template <class Real>
bool LawSums<Real>::left_range(cudaStream_t stream) {
  if (!ordered()) return false;
  const bool left = left_.download(stream)[0] != 0;
  if (left) left_.fill_bytes(0, stream);
  return left;
}

template class LawSums<float>;
template class LawSums<double>;

}  // namespace tri::cuda
