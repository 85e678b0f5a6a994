// Publishing of drawable instances.

#include <cmath>

#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"

namespace tri::cpu {

template <class Real>
std::vector<u32> CpuEngine<Real>::contact_counts() const {
  if (field_.pair != PairLaw::contact) return std::vector<u32>(state_.n, 0);
  return overlap_counts(state_.view(), contact_search());
}

template <class Real>
void CpuEngine<Real>::publish(InstanceSink& sink) {
  const Stopwatch watch;
  if (sink.place != InstanceSink::Place::host) {
    throw BackendError("the cpu backend publishes into host memory; give it a host sink, or use --backend cuda.");
  }
  TRI_EXPECTS(sink.instances.size() >= state_.n);
  const auto length = [](Real a, Real b, Real c) {
    return std::sqrt(static_cast<float>(a) * static_cast<float>(a) + static_cast<float>(b) * static_cast<float>(b) +
                     static_cast<float>(c) * static_cast<float>(c));
  };
  const std::vector<u32> contacts = sink.scalar == InstanceScalar::contacts ? contact_counts() : std::vector<u32>();
  const auto scalar = [&](u32 i) {
    if (sink.scalar == InstanceScalar::group) return state_.group.empty() ? 0.0f : static_cast<float>(state_.group[i]);
    return sink.scalar == InstanceScalar::contacts ? static_cast<float>(contacts[i]) : static_cast<float>(state_.m[i]);
  };
  for (u32 i = 0; i < state_.n; ++i) {
    sink.instances[i] = {static_cast<float>(state_.x[i]),
                         static_cast<float>(state_.y[i]),
                         static_cast<float>(state_.z[i]),
                         static_cast<float>(state_.r[i]),
                         length(state_.vx[i], state_.vy[i], state_.vz[i]),
                         length(ax_[i], ay_[i], az_[i]),
                         scalar(i),
                         i};
  }
  timing_.publish = watch.ms();
}

template void CpuEngine<float>::publish(InstanceSink&);
template void CpuEngine<double>::publish(InstanceSink&);

}  // namespace tri::cpu
