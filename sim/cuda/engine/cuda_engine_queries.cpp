// What an engine tells of its state: diagnostics, forces, the bodies themselves, instances to draw, the hash.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// sum r.F over the bodies of a triple is nine times its energy, which falls as the ninth power of its size.
constexpr double kTripleVirial = 9;

}  // namespace

template <class Real>
void CudaEngine<Real>::download_state(std::vector<Quad<Real>>& place, std::vector<Quad<Real>>& motion) const {
  place = place_.download(stream_);
  motion = motion_.download(stream_);
}

template <class Real>
Bodies CudaEngine<Real>::read() const {
  use_device();
  std::vector<Quad<Real>> place, motion;
  download_state(place, motion);
  Bodies b;
  b.resize(n_);
  for (u32 i = 0; i < n_; ++i) {
    b.x[i] = place[i].a, b.y[i] = place[i].b, b.z[i] = place[i].c, b.m[i] = place[i].d;
    b.vx[i] = motion[i].a, b.vy[i] = motion[i].b, b.vz[i] = motion[i].c, b.r[i] = motion[i].d;
  }
  b.group = group_;
  return b;
}

template <class Real>
u64 CudaEngine<Real>::state_hash() const {
  use_device();
  std::vector<Quad<Real>> place, motion;
  download_state(place, motion);
  std::vector<Real> column(n_);
  u64 hash = kFnvOffset;
  for (const auto* quads : {&place, &motion}) {
    for (Real Quad<Real>::*const axis : {&Quad<Real>::a, &Quad<Real>::b, &Quad<Real>::c}) {
      for (u32 i = 0; i < n_; ++i) column[i] = (*quads)[i].*axis;
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
double CudaEngine<Real>::triple_energy() {
  return work_.triples ? work_.triples->energy(stream_, state()) : 0.0;
}

template <class Real>
Diagnostics CudaEngine<Real>::diagnose() {
  use_device();
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
    // Without any mass the centre is the origin, not 0/0.
    d.centre[axis] = d.mass > 0 ? sums[kCentre + axis] / d.mass : 0.0;
  }
  const PairEnergy energy = pair_energy();
  d.triple_potential = triple_energy();
  d.potential += energy.potential + d.triple_potential;
  d.virial = energy.virial + kTripleVirial * d.triple_potential;
  return d;
}

template <class Real>
ForceResult CudaEngine<Real>::forces() {
  use_device();
  const bool summed = work_.body_field.pairs;
  if (work_.contacts && summed) search_contacts();
  force_timer_.start(stream_);
  enqueue_sums(stream_, nullptr, 0);
  force_timer_.stop(stream_);
  ForceResult result;
  result.ms = timing_.force = force_timer_.elapsed_ms();
  std::vector<Quad<Real>> place, motion;
  download_state(place, motion);
  const std::vector<Quad<Real>> sums = summed ? sums_.download(stream_) : std::vector<Quad<Real>>(n_);
  const std::vector<Quad<Real>> triples = work_.triples ? triple_sums_.download(stream_) : std::vector<Quad<Real>>(n_);
  const BodyField<Real>& field = work_.body_field;
  result.fx.resize(n_), result.fy.resize(n_), result.fz.resize(n_);
  double wall_energy = 0;
  const laws::WallSprings<double> wide = spring_walls<double>(work_.field);
  for (u32 i = 0; i < n_; ++i) {
    const Quad<Real>&p = place[i], &v = motion[i];
    const auto wall = field.walls({p.a, p.b, p.c}, {v.a, v.b, v.c}, v.d);
    wall_energy += wide({p.a, p.b, p.c}, {v.a, v.b, v.c}, v.d).potential;
    const double weight = field.accelerations ? static_cast<double>(p.d) : 1.0;
    const auto total = [weight](Real pairs, Real triple, Real w) {
      return static_cast<double>(w) + weight * static_cast<double>(pairs) + static_cast<double>(triple);
    };
    result.fx[i] = total(sums[i].a, triples[i].a, wall.fx);
    result.fy[i] = total(sums[i].b, triples[i].b, wall.fy);
    result.fz[i] = total(sums[i].c, triples[i].c, wall.fz);
    if (std::isfinite(result.fx[i]) && std::isfinite(result.fy[i]) && std::isfinite(result.fz[i])) continue;
    throw_force_fault("a force", i, "", 0);
  }
  const PairEnergy energy = pair_energy();
  const double triple = triple_energy();
  result.potential = wall_energy + energy.potential + triple;
  result.virial = energy.virial + kTripleVirial * triple;
  if (summed) result.work_items = work_.contacts ? work_.contacts->looked_at(stream_) : triangular(u64{n_} - 1);
  if (work_.triples && n_ > 2) result.work_items += tetrahedral(u64{n_} - 2);
  return result;
}

template <class Real>
const float* CudaEngine<Real>::tint(Tint tint) {
  if (tint == Tint::mass) return nullptr;
  DeviceBuffer<float>& values = tint == Tint::group ? groups_ : contact_counts_;
  const bool first = values.size() == 0;
  if (first) {
    need_device_memory(n_ * sizeof(float), "the colours of the bodies", "Use fewer bodies");
    values = DeviceBuffer<float>(n_);
  }
  if (tint == Tint::group) {
    if (!first) return values.data();
    std::vector<float> numbers(group_.begin(), group_.end());
    numbers.resize(n_, 0);
    values.upload(numbers, stream_);
    TRI_CUDA(cudaStreamSynchronize(stream_));
  } else {
    values.fill_bytes(0, stream_);
    if (work_.contacts) {
      search_contacts();
      work_.contacts->enqueue_counts(stream_, values.data());
    }
  }
  return values.data();
}

template <class Real>
void CudaEngine<Real>::publish(InstanceSink& sink) {
  use_device();
  TRI_EXPECTS(sink.instances.size() >= n_);
  const bool host = sink.place == InstanceSink::Place::host;
  if (host && instances_.size() == 0) {
    need_device_memory(n_ * sizeof(Instance), "the picture of the bodies", "Use fewer bodies");
    instances_ = DeviceBuffer<Instance>(n_);
    published_ = PinnedBuffer<Instance>(n_);
  }
  publish_timer_.start(stream_);
  const float* const tint = this->tint(sink.tint);
  enqueue_instances(stream_, arrays(), tint, host ? instances_.data() : sink.instances.data());
  if (host) {
    TRI_CUDA(
        cudaMemcpyAsync(published_.data(), instances_.data(), published_.bytes(), cudaMemcpyDeviceToHost, stream_));
  }
  publish_timer_.stop(stream_);
  timing_.publish = publish_timer_.elapsed_ms();
  if (host) std::memcpy(sink.instances.data(), published_.data(), published_.bytes());
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
