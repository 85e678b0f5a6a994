#include "sim/cuda/engine/contacts.hpp"

#include "sim/base/contracts.hpp"

namespace tri::cuda {
namespace {

/// Bytes per body for ordered sums, in addition to the search.
u64 ordered_bytes(const ForceField& field, const EngineConfig& config) {
  if (field.contact.impulse || config.accumulate == Accumulate::fast) return 0;
  return ordered_bins(config.precision) * 3 * sizeof(unsigned long long) + sizeof(u32);
}

}  // namespace

template <class Real>
u64 contacts_bytes(const ForceField& field, const EngineConfig& config, u64 n) {
  const u64 turns = field.contact.impulse ? 2 * sizeof(unsigned long long) : 0;
  return overlap_search_bytes<Real>(config, n) + n * (turns + ordered_bytes(field, config));
}

template <class Real>
Contacts<Real>::Contacts(const ForceField& field, const Bodies& bodies, const EngineConfig& config, cudaStream_t stream)
    : field_(field),
      accumulate_(config.accumulate),
      n_(static_cast<u32>(bodies.size())),
      search_(bodies, field.box, config, stream) {
  TRI_EXPECTS(field.pair == PairLaw::contact);
  if (field.contact.impulse) {
    blocks_ = impulse_blocks<Real>(n_);
    turn_ = DeviceBuffer<unsigned long long>(2 * u64{n_});
    turn_.fill_bytes(0xff, stream);
    round_ = DeviceBuffer<u32>(1), waiting_ = DeviceBuffer<u32>(3);
    round_.fill_bytes(0, stream), waiting_.fill_bytes(0, stream);
  } else {
    const bool ordered = accumulate_ == Accumulate::ordered;
    bins_ = DeviceBuffer<unsigned long long>(ordered ? u64{n_} * 3 * ordered_bins(config.precision) : 0);
    broken_ = DeviceBuffer<u32>(ordered ? n_ : 0);
    bins_.fill_bytes(0, stream), broken_.fill_bytes(0, stream);
    energy_words_ = DeviceBuffer<unsigned long long>(kContactEnergyWords);
    energy_ = DeviceBuffer<double>(2);
  }
  left_ = DeviceBuffer<unsigned long long>(1);
  left_.fill_bytes(0, stream);
  TRI_CUDA(cudaStreamSynchronize(stream));
}

template <class Real>
void Contacts<Real>::enqueue_forces(cudaStream_t stream, const DeviceState<Real>& state, FaultFlag* fault_flag,
                                    u32 segment, Vec4<Real>* out) {
  TRI_EXPECTS(!field_.contact.impulse && state.n == n_);
  search_.enqueue(stream, state);
  const PairSums<Real> sums{out, bins_.data(), broken_.data()};
  const bool ordered = accumulate_ == Accumulate::ordered;
  if (!ordered) TRI_CUDA(cudaMemsetAsync(out, 0, n_ * sizeof(Vec4<Real>), stream));
  enqueue_contact_forces(stream, field_, state, search_.list(), accumulate_, sums, fault_flag, segment);
  if (ordered) finish_ordered_sums(sums, n_, left_.data(), stream);
}

template <class Real>
void Contacts<Real>::enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays,
                                      const laws::ImpulseRule<Real>& rule, u32 segment) {
  TRI_EXPECTS(field_.contact.impulse && arrays.n == n_);
  search_.enqueue(stream, DeviceState<Real>{arrays.position, arrays.velocity, n_});
  cuda::enqueue_impulses(stream, arrays, search_.list(), ImpulseTurns{turn_.data(), round_.data(), waiting_.data()},
                         blocks_, rule, segment);
}

template <class Real>
bool Contacts<Real>::left_range(cudaStream_t stream) {
  const bool left = left_.download(stream)[0] != 0;
  if (left) left_.fill_bytes(0, stream);
  return left;
}

template <class Real>
bool Contacts<Real>::search(cudaStream_t stream, const DeviceState<Real>& state) {
  search_.enqueue(stream, state);
  if (search_.found(stream) <= search_.list().capacity) return false;
  grow(stream);
  search_.enqueue(stream, state);
  return true;
}

template <class Real>
PairEnergy Contacts<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  if (field_.contact.impulse) return {};
  enqueue_contact_energy(stream, field_, state, search_.list(), energy_words_.data(), energy_.data());
  double values[2];
  energy_.download(std::span<double>(values), stream);
  return {values[0], values[1]};
}

template u64 contacts_bytes<float>(const ForceField&, const EngineConfig&, u64);
template u64 contacts_bytes<double>(const ForceField&, const EngineConfig&, u64);
template class Contacts<float>;
template class Contacts<double>;

}  // namespace tri::cuda
