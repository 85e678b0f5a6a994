#include "sim/cuda/engine/law_sums.hpp"

#include <fmt/format.h>

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"

namespace tri::cuda {
namespace {

template <class Real>
constexpr Precision kPrecision = sizeof(Real) == sizeof(float) ? Precision::fp32 : Precision::fp64;

}  // namespace

u64 ordered_sums_bytes(const EngineConfig& config, u64 n) {
  if (config.accumulate == Accumulate::fast) return 0;
  return n * (ordered_bins(config.precision) * 3 * sizeof(unsigned long long) + sizeof(u32));
}

template <class Real>
SumMemory<Real>::SumMemory(Accumulate accumulate, u32 n, cudaStream_t stream) {
  if (accumulate == Accumulate::fast) return;
  bins_ = DeviceBuffer<unsigned long long>(std::size_t{n} * 3 * ordered_bins(kPrecision<Real>));
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
  TRI_EXPECTS(config.precision == kPrecision<Real>);
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

}  // namespace tri::cuda
