// States that an engine keeps in host memory, to be brought back.

#include "sim/base/contracts.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"

namespace tri::cpu {
namespace {

/// All that the next step depends on, and the accelerations that are published with it.
template <class Real>
struct HostState final : KeptState {
  AlignedVector<Real> x, y, z, vx, vy, vz, m, r, ax, ay, az;
  std::vector<double> rest;
  u64 bytes() const override { return 11 * x.size() * sizeof(Real) + rest.size() * sizeof(double); }
};

}  // namespace

template <class Real>
std::unique_ptr<KeptState> CpuEngine<Real>::keep(std::unique_ptr<KeptState> reuse) const {
  if (!reuse) reuse = std::make_unique<HostState<Real>>();
  auto* to = dynamic_cast<HostState<Real>*>(reuse.get());
  TRI_EXPECTS(to != nullptr);
  to->x = state_.x, to->y = state_.y, to->z = state_.z;
  to->vx = state_.vx, to->vy = state_.vy, to->vz = state_.vz;
  to->m = state_.m, to->r = state_.r;
  to->ax = ax_, to->ay = ay_, to->az = az_;
  to->rest = jerk_ ? jerk_->rest() : rest_;
  return reuse;
}

template <class Real>
void CpuEngine<Real>::bring_back(const KeptState& kept) {
  const auto* from = dynamic_cast<const HostState<Real>*>(&kept);
  TRI_EXPECTS(from != nullptr && from->x.size() == state_.x.size());
  jerk_.reset();
  state_.x = from->x, state_.y = from->y, state_.z = from->z;
  state_.vx = from->vx, state_.vy = from->vy, state_.vz = from->vz;
  state_.m = from->m, state_.r = from->r;
  ax_ = from->ax, ay_ = from->ay, az_ = from->az;
  rest_ = from->rest;
  accelerations_valid_ = false;
}

template std::unique_ptr<KeptState> CpuEngine<float>::keep(std::unique_ptr<KeptState>) const;
template std::unique_ptr<KeptState> CpuEngine<double>::keep(std::unique_ptr<KeptState>) const;
template void CpuEngine<float>::bring_back(const KeptState&);
template void CpuEngine<double>::bring_back(const KeptState&);

}  // namespace tri::cpu
