// States that an engine keeps in host memory, to be brought back; and its own, for others to read and write.

#include <algorithm>
#include <cstring>

#include "sim/base/contracts.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"
#include "sim/model/float_range.hpp"
#include "sim/model/massless.hpp"

namespace tri::cpu {
namespace {

/// All that the next step depends on, and the accelerations that are published with it.
template <class Real>
struct HostState final : KeptState {
  AlignedVector<Real> values, ax, ay, az;
  std::vector<double> rest;
  u64 bytes() const override { return (values.size() + 3 * ax.size()) * sizeof(Real) + rest.size() * sizeof(double); }
};

}  // namespace

template <class Real>
std::unique_ptr<KeptState> CpuEngine<Real>::keep(std::unique_ptr<KeptState> reuse) const {
  if (!reuse) reuse = std::make_unique<HostState<Real>>();
  auto* to = dynamic_cast<HostState<Real>*>(reuse.get());
  TRI_EXPECTS(to != nullptr);
  to->values = state_.values;
  to->ax = ax_, to->ay = ay_, to->az = az_;
  to->rest = jerk_ ? jerk_->rest() : rest_;
  return reuse;
}

template <class Real>
void CpuEngine<Real>::bring_back(const KeptState& kept) {
  const auto* from = dynamic_cast<const HostState<Real>*>(&kept);
  TRI_EXPECTS(from != nullptr && from->values.size() == state_.values.size());
  jerk_.reset();
  std::copy(from->values.begin(), from->values.end(), state_.values.begin());
  ax_ = from->ax, ay_ = from->ay, az_ = from->az;
  rest_ = from->rest;
  accelerations_valid_ = false;
}

template <class Real>
StateArrays CpuEngine<Real>::lend() {
  if (ranks_ != nullptr) return Engine::lend();
  lent_ = keep(std::move(lent_));
  const auto stride = static_cast<std::ptrdiff_t>(state_.stride);
  return {state_.x.data(), state_.vx.data(), state_.m.data(), state_.r.data(), 1, stride};
}

template <class Real>
bool CpuEngine<Real>::take_back(bool discard) {
  TRI_EXPECTS(lent_ != nullptr);
  const std::unique_ptr<KeptState> before = std::move(lent_);
  if (discard) return bring_back(*before), false;
  const AlignedVector<Real>& kept = dynamic_cast<const HostState<Real>&>(*before).values;
  if (std::memcmp(kept.data(), state_.values.data(), kept.size() * sizeof(Real)) == 0) return false;
  try {
    take_written();
  } catch (...) {
    bring_back(*before);
    throw;
  }
  return true;
}

/// Makes anew what follows from the state.
template <class Real>
void CpuEngine<Real>::take_written() {
  const Bodies bodies = state_.read();
  check(bodies);
  check_float_values(bodies, config_.precision);
  if (const std::string why = massless_refusal(bodies, field_); !why.empty()) throw ConfigError(why);
  jerk_.reset(), rest_.clear();
  const ForceField field = bare_ ? *bare_ : field_;
  set_field(field);  // radii may have changed, and with them what a grid and a box permit
}

template StateArrays CpuEngine<float>::lend();
template StateArrays CpuEngine<double>::lend();
template void CpuEngine<float>::take_written();
template void CpuEngine<double>::take_written();
template bool CpuEngine<float>::take_back(bool);
template bool CpuEngine<double>::take_back(bool);
template std::unique_ptr<KeptState> CpuEngine<float>::keep(std::unique_ptr<KeptState>) const;
template std::unique_ptr<KeptState> CpuEngine<double>::keep(std::unique_ptr<KeptState>) const;
template void CpuEngine<float>::bring_back(const KeptState&);
template void CpuEngine<double>::bring_back(const KeptState&);

}  // namespace tri::cpu
