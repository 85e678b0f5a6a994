// Queries of an engine's state: diagnostics, forces, the bodies themselves, instances to draw, the hash.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {

template <class Real>
void CudaEngine<Real>::download_state(std::vector<Vec4<Real>>& position, std::vector<Vec4<Real>>& velocity) const {
  TRI_EXPECTS(whole_);
  position = positions_.download(stream_);
  velocity = velocities_.download(stream_);
}

template <class Real>
Bodies CudaEngine<Real>::read() const {
  use_device();
  std::vector<Vec4<Real>> position, velocity;
  download_state(position, velocity);
  Bodies b;
  b.resize(n_);
  for (u32 i = 0; i < n_; ++i) {
    b.x[i] = position[i].x, b.y[i] = position[i].y, b.z[i] = position[i].z, b.m[i] = position[i].w;
    b.vx[i] = velocity[i].x, b.vy[i] = velocity[i].y, b.vz[i] = velocity[i].z, b.r[i] = velocity[i].w;
  }
  b.group = group_;
  b.species = species_;
  if (charges_.size() > 0) {
    const std::vector<Real> charges = charges_.download(stream_);
    b.q.assign(charges.begin(), charges.end());
  }
  b.rest = jerk_ ? jerk_->rest() : rest_;
  return b;
}

template <class Real>
u64 CudaEngine<Real>::state_hash() const {
  use_device();
  std::vector<Vec4<Real>> position, velocity;
  download_state(position, velocity);
  std::vector<Real> column(n_);
  u64 hash = kFnvOffset;
  for (const auto* vectors : {&position, &velocity}) {
    for (Real Vec4<Real>::*const axis : {&Vec4<Real>::x, &Vec4<Real>::y, &Vec4<Real>::z}) {
      for (u32 i = 0; i < n_; ++i) column[i] = (*vectors)[i].*axis;
      hash = fnv1a(hash, std::span<const Real>(column));
    }
  }
  return hash;
}

template <class Real>
void CudaEngine<Real>::search_contacts() {
  if (work_.contacts->search(stream_, state())) recorded_.clear();
}

template <class Real>
PairEnergy CudaEngine<Real>::pair_energy() {
  if (work_.pairs) return work_.pairs->energy(stream_, state());
  if (!work_.contacts || !work_.body_field.pairs) return {};
  search_contacts();
  return work_.contacts->energy(stream_, state());
}

template <class Real>
PairEnergy CudaEngine<Real>::triple_energy() {
  return work_.triples ? work_.triples->energies(stream_, state()) : PairEnergy{};
}

template <class Real>
void CudaEngine<Real>::gather_times() {
  if (ranks_ == nullptr) return;
  const double own = (work_.pairs ? work_.pairs->own_ms() : 0) + (work_.triples ? work_.triples->own_ms() : 0) +
                     (work_.domains ? work_.domains->own_ms() : 0);
  timing_.rank_ms = ranks_->of_each(own);
  const auto none = [](double ms) { return ms == 0; };
  if (std::all_of(timing_.rank_ms.begin(), timing_.rank_ms.end(), none)) timing_.rank_ms.clear();
  const double part =
      divided_ ? static_cast<double>(work_.domains->own_bodies(stream_, array_)) / n_ : 1.0 / ranks_->size();
  timing_.rank_parts = ranks_->of_each(part);
  timing_.rank_parts.resize(timing_.rank_ms.size());
}

template <class Real>
RankShares CudaEngine<Real>::shares(Domain) const {
  return {ranks_ == nullptr ? 1 : ranks_->size()};
}

template <class Real>
Diagnostics CudaEngine<Real>::diagnose() {
  use_device();
  make_whole();
  come_together();
  gather_times();
  const std::array<double, 3>& uniform = work_.field.field;
  const OneBodyField alone{{uniform[0], uniform[1], uniform[2]}, spring_walls<double>(work_.field)};
  enqueue_body_sums(stream_, arrays(), alone, body_sums_.data() + kBodySums, body_sums_.data());
  double sums[kBodySums];
  body_sums_.download(std::span<double>(sums), stream_);
  Diagnostics d;
  d.kinetic = sums[kKinetic];
  d.potential = sums[kPotential];
  d.mass = sums[kMass];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    d.momentum[axis] = sums[kMomentum + axis];
    d.angular_momentum[axis] = sums[kAngular + axis];
    // The centre of massless bodies is the origin, not 0/0.
    d.centre[axis] = d.mass > 0 ? sums[kCentre + axis] / d.mass : 0.0;
  }
  PairEnergy energy = pair_energy();
  if (!std::isfinite(energy.potential) && keep_apart()) energy = pair_energy();
  const PairEnergy triples = triple_energy();
  d.triple_potential = triples.potential;
  d.potential += energy.potential + triples.potential;
  d.virial = energy.virial + triples.virial;
  return d;
}

template <class Real>
ForceResult CudaEngine<Real>::forces() {
  use_device();
  make_whole();
  come_together();
  const bool summed = work_.body_field.pairs;
  if (work_.contacts && summed) search_contacts();
  if (work_.pairs) work_.pairs->keep_sorted(stream_, state(), 1);
  force_timer_.start(stream_);
  enqueue_sums(stream_, nullptr, 0, cudaEventRecordDefault);
  force_timer_.stop(stream_);
  ForceResult result;
  result.ms = timing_.force = force_timer_.elapsed_ms();
  timing_.triples = work_.triples ? triple_timer_.elapsed_ms() : 0;
  std::vector<Vec4<Real>> position, velocity;
  download_state(position, velocity);
  const std::vector<Vec4<Real>> sums = summed ? sums_.download(stream_) : std::vector<Vec4<Real>>(n_);
  const std::vector<Vec4<Real>> triples = work_.triples ? triple_sums_.download(stream_) : std::vector<Vec4<Real>>(n_);
  const BodyField<Real>& field = work_.body_field;
  result.fx.resize(n_), result.fy.resize(n_), result.fz.resize(n_);
  double wall_energy = 0;
  const laws::WallSprings<double> wide = spring_walls<double>(work_.field);
  for (u32 i = 0; i < n_; ++i) {
    const Vec4<Real>&p = position[i], &v = velocity[i];
    const auto wall = field.walls({p.x, p.y, p.z}, {v.x, v.y, v.z}, v.w);
    wall_energy += wide({p.x, p.y, p.z}, {v.x, v.y, v.z}, v.w).potential;
    const double weight = field.accelerations ? static_cast<double>(p.w) : 1.0;
    const auto total = [weight](Real pairs, Real triple, Real w) {
      return static_cast<double>(w) + weight * static_cast<double>(pairs) + static_cast<double>(triple);
    };
    result.fx[i] = total(sums[i].x, triples[i].x, wall.fx);
    result.fy[i] = total(sums[i].y, triples[i].y, wall.fy);
    result.fz[i] = total(sums[i].z, triples[i].z, wall.fz);
    if (std::isfinite(result.fx[i]) && std::isfinite(result.fy[i]) && std::isfinite(result.fz[i])) continue;
    if (keep_apart()) return forces();
    throw_force_fault("a force", i, "", 0);
  }
  const PairEnergy energy = pair_energy();
  const PairEnergy of_triples = triple_energy();
  result.potential = wall_energy + energy.potential + of_triples.potential;
  result.virial = energy.virial + of_triples.virial;
  if (summed) result.work_items = work_.contacts ? work_.contacts->looked_at(stream_) : triangular(u64{n_} - 1);
  if (work_.triples && n_ > 2) result.work_items += tetrahedral(u64{n_} - 2);
  return result;
}

template <class Real>
const float* CudaEngine<Real>::scalar(InstanceScalar scalar) {
  if (scalar == InstanceScalar::mass) return nullptr;
  DeviceBuffer<float>& values = scalar == InstanceScalar::group ? groups_ : contact_counts_;
  const bool first = values.size() == 0;
  if (first) {
    require_device_memory(n_ * sizeof(float), "the colours of the bodies", "Use fewer bodies");
    values = DeviceBuffer<float>(n_);
  }
  if (scalar == InstanceScalar::group) {
    if (!first) return values.data();
    std::vector<float> numbers(group_.begin(), group_.end());
    numbers.resize(n_, 0);
    values.upload(numbers, stream_);
    TRI_CUDA(cudaStreamSynchronize(stream_));
  } else {
    values.fill_bytes(0, stream_);
    // No other rank takes part in a picture.
    if (work_.contacts && ranks_ != nullptr && !work_.all_contacts) {
      work_.all_contacts = std::make_unique<Contacts<Real>>(work_.field, read(), work_.config, stream_);
    }
    if (work_.all_contacts) {
      (void)work_.all_contacts->search(stream_, state());
      work_.all_contacts->enqueue_counts(stream_, values.data());
    } else if (work_.contacts) {
      search_contacts();
      work_.contacts->enqueue_counts(stream_, values.data());
    }
  }
  return values.data();
}

/// Waits for the last publishing.
template <class Real>
void CudaEngine<Real>::account_publish() {
  timing_.publish = publish_timer_.elapsed_ms();
  const double begin = event_clock_.when(publish_timer_.begin());
  timing_.publish_when = {begin, begin + 1e-3 * timing_.publish};
}

template <class Real>
void CudaEngine<Real>::publish(InstanceSink& sink) {
  use_device();
  TRI_EXPECTS(whole_ && sink.instances.size() >= n_);
  const bool host = sink.place == InstanceSink::Place::host;
  if (host && instances_.size() == 0) {
    require_device_memory(n_ * sizeof(Instance), "the picture of the bodies", "Use fewer bodies");
    instances_ = DeviceBuffer<Instance>(n_);
    published_ = PinnedBuffer<Instance>(n_);
  }
  if (std::exchange(publishing_, false)) account_publish();
  event_clock_.set(stream_);
  const auto turn = static_cast<cudaStream_t>(sink.stream);
  if (turn != nullptr) {
    sink_free_.record(turn);
    TRI_CUDA(cudaStreamWaitEvent(stream_, sink_free_));
  }
  publish_timer_.start(stream_);
  const float* const scalar = this->scalar(sink.scalar);
  enqueue_instances(stream_, arrays(), scalar, host ? instances_.data() : sink.instances.data());
  if (host) {
    TRI_CUDA(
        cudaMemcpyAsync(published_.data(), instances_.data(), published_.bytes(), cudaMemcpyDeviceToHost, stream_));
  }
  publish_timer_.stop(stream_);
  if (turn != nullptr) {
    sink_written_.record(stream_);
    TRI_CUDA(cudaStreamWaitEvent(turn, sink_written_));
    publishing_ = true;  // its time is known by the next one
    return;
  }
  account_publish();
  if (host) std::memcpy(sink.instances.data(), published_.data(), published_.bytes());
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
