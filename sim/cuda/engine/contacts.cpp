#include "sim/cuda/engine/contacts.hpp"

#include "sim/base/contracts.hpp"

namespace tri::cuda {
namespace {

/// Impulses need all contacts, since each depends on those before it.
GridShare share_of(const ForceField& field, const DeviceRanks* ranks) {
  return ranks == nullptr || field.contact.impulse ? GridShare{} : GridShare{ranks->rank(), ranks->size()};
}

}  // namespace

template <class Real>
u64 contacts_bytes(const ForceField& field, const EngineConfig& config, u64 n) {
  return overlap_search_bytes<Real>(config, n) +
         (field.contact.impulse ? n * 2 * sizeof(unsigned long long) : ordered_sums_bytes(config, n));
}

template <class Real>
Contacts<Real>::Contacts(const ForceField& field, const Bodies& bodies, const EngineConfig& config, cudaStream_t stream,
                         DeviceRanks* ranks)
    : field_(field),
      ranks_(ranks),
      accumulate_(config.accumulate),
      n_(static_cast<u32>(bodies.size())),
      search_(bodies, field.box, config, stream, share_of(field, ranks), ranks == nullptr),
      sums_(field.contact.impulse ? Accumulate::fast : config.accumulate, n_, stream) {
  TRI_EXPECTS(field.pair == PairLaw::contact);
  if (field.contact.impulse) {
    blocks_ = impulse_blocks<Real>(n_);
    turn_ = DeviceBuffer<unsigned long long>(2 * u64{n_});
    turn_.fill_bytes(0xff, stream);
    round_ = DeviceBuffer<u32>(1), waiting_ = DeviceBuffer<u32>(3), deep_ = DeviceBuffer<u32>(1);
    round_.fill_bytes(0, stream), waiting_.fill_bytes(0, stream), deep_.fill_bytes(0, stream);
  } else {
    energy_words_ = DeviceBuffer<unsigned long long>(kContactEnergyWords);
    energy_ = DeviceBuffer<double>(2);
  }
  TRI_CUDA(cudaStreamSynchronize(stream));
}

template <class Real>
void Contacts<Real>::enqueue_forces(cudaStream_t stream, const DeviceState<Real>& state, FaultFlag* fault_flag,
                                    u32 segment, Vec4<Real>* out) {
  TRI_EXPECTS(!field_.contact.impulse && state.n == n_);
  if (ranks_ == nullptr || search_.is_shared() || ranks_->rank() == 0) {
    search_.enqueue(stream, state);
    const PairSums<Real> sums = sums_.begin(out, n_, stream);
    enqueue_contact_forces(stream, field_, state, search_.list(), accumulate_, sums, fault_flag, segment);
    sums_.finish(sums, stream);
  } else {
    clear_sums(out, n_, stream);
  }
  if (ranks_ == nullptr) return;
  // A body's sum is complete on one rank and zero on the others, so no bit changes.
  ranks_->enqueue_sum(stream, std::span(&out->x, 4 * std::size_t{n_}));
  if (fault_flag != nullptr) ranks_->enqueue_min(stream, std::span(&fault_flag->first, 1));
}

template <class Real>
void Contacts<Real>::agree() const {
  if (ranks_ != nullptr) ranks_->agree("the broad phase", search_.uses_grid() ? 1 : 0);
}

template <class Real>
u64 Contacts<Real>::looked_at(cudaStream_t stream) const {
  const u64 own = search_.looked_at(stream);
  return search_.is_shared() ? ranks_->total(own) : own;
}

template <class Real>
void Contacts<Real>::enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays,
                                      const laws::ImpulseRule<Real>& rule, u32 segment) {
  TRI_EXPECTS(field_.contact.impulse && arrays.n == n_);
  search_.enqueue(stream, DeviceState<Real>{arrays.position, arrays.velocity, n_});
  const ImpulseTurns turns{turn_.data(), round_.data(), waiting_.data(), deep_.data()};
  cuda::enqueue_impulses(stream, arrays, search_.list(), turns, blocks_, rule, segment);
}

template <class Real>
bool Contacts<Real>::search(cudaStream_t stream, const DeviceState<Real>& state) {
  search_.enqueue(stream, state);
  const u64 more = search_.found(stream) > search_.list().capacity ? 1 : 0;
  if ((ranks_ != nullptr ? ranks_->largest(more) : more) == 0) return false;
  grow(stream);
  search_.enqueue(stream, state);
  return true;
}

template <class Real>
PairEnergy Contacts<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  if (field_.contact.impulse) return {};
  enqueue_contact_energy(stream, field_, state, search_.list(), energy_words_.data());
  if (search_.is_shared()) ranks_->enqueue_sum(stream, std::span(energy_words_.data(), energy_words_.size()));
  enqueue_contact_energy_total(stream, energy_words_.data(), energy_.data());
  double values[2];
  energy_.download(std::span<double>(values), stream);
  return {values[0], values[1]};
}

template u64 contacts_bytes<float>(const ForceField&, const EngineConfig&, u64);
template u64 contacts_bytes<double>(const ForceField&, const EngineConfig&, u64);
template class Contacts<float>;
template class Contacts<double>;

}  // namespace tri::cuda
