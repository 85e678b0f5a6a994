// Steps: the stages of an integrator, those of the Hermite scheme, and those of automatic length.

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"
#include "sim/model/numerical_fault.hpp"

namespace tri::cpu {

template <class Real>
template <class Take>
void CpuEngine<Real>::take_whole(const Take& take) {
  if (!progress_is_wanted()) return take();
  const AlignedVector<Real> before = state_.values;
  const std::vector<double> rest = jerk_ ? jerk_->rest() : rest_;
  try {
    take();
  } catch (const InterruptedError&) {
    std::copy(before.begin(), before.end(), state_.values.begin());
    jerk_.reset();
    rest_ = rest;
    accelerations_valid_ = false;
    throw;
  }
}

template <class Real>
void CpuEngine<Real>::advance(Integrator integrator, double dt, u64 steps) {
  take_whole([&] {
    if (integrator == Integrator::hermite) {
      JerkSteps& jerks = jerk_steps(integrator, 0);
      for (u64 step = 1; step <= steps; ++step) take_jerk_step(jerks, step, [&] { take_step(jerks, dt); });
      return;
    }
    keep_rest();
    if (dt != 0) rest_.clear();  // steps of no length move nothing
    const std::span<const Stage> list = stages(integrator);
    for (u64 step = 1; step <= steps; ++step) take_stages(list, dt, step);
  });
}

template <class Real>
StepTaken CpuEngine<Real>::advance_auto(Integrator integrator, const AutoStep& step) {
  TRI_EXPECTS(step.eta > 0);
  StepTaken taken;
  take_whole([&] {
    JerkSteps& jerks = jerk_steps(integrator, step.eta);
    take_jerk_step(jerks, 1, [&] { taken = take_step(jerks, step); });
  });
  return taken;
}

template <class Real>
void CpuEngine<Real>::take_stages(std::span<const Stage> list, double dt, u64 step) {
  const Stopwatch watch;
  double force_ms = 0;
  for (const Stage& stage : list) {
    if (stage.kind == Stage::Kind::drift) {
      drift(stage.fraction * dt);
      continue;
    }
    if (!accelerations_valid_) {
      update_accelerations(step);
      force_ms += timing_.force;
    }
    kick(stage.fraction * dt);
  }
  if (field_.pair == PairLaw::contact && field_.contact.impulse) resolve_impulses(dt);
  const u32 bad = state_.first_not_finite();
  if (bad < state_.n) throw NumericalError(state_fault(bad, step, config_.precision), step);
  timing_.integrate = watch.ms() - force_ms;
}

template <class Real>
template <class Take>
void CpuEngine<Real>::take_jerk_step(JerkSteps& steps, u64 step, const Take& take) {
  const Stopwatch watch;
  accelerations_valid_ = false;
  const double before = steps.force_ms();
  try {
    take();
  } catch (const NumericalError& error) {
    throw NumericalError(error.what(), step);
  }
  const u32 bad = state_.first_not_finite();
  if (bad < state_.n) throw NumericalError(state_fault(bad, step, config_.precision), step);
  const JerkSteps::Motion& motion = steps.present();
  for (u32 i = 0; i < state_.n; ++i) {
    ax_[i] = static_cast<Real>(motion.a[0][i]);
    ay_[i] = static_cast<Real>(motion.a[1][i]);
    az_[i] = static_cast<Real>(motion.a[2][i]);
  }
  timing_.force = steps.force_ms() - before;
  timing_.force_when = {};  // several evaluations
  timing_.integrate = watch.ms() - timing_.force;
}

template <class Real>
JerkSteps& CpuEngine<Real>::jerk_steps(Integrator integrator, double eta) {
  const std::string refusal = scheme_refusal(field_, integrator, eta, config_.precision);
  if (!refusal.empty()) throw ConfigError(refusal);
  if constexpr (std::is_same_v<Real, double>) {
    if (!jerk_) {
      const auto bytes = [&](u64 n) { return jerk_steps_bytes(n, config_.accumulate, config_.threads); };
      require_memory(static_cast<double>(bytes(state_.n)), fmt::format("steps with jerks of {} bodies", state_.n),
                     size_hint("Use ", largest_that_fits(bytes, available_memory()),
                               " bodies or fewer, or --threads 1, or steps of a given length by kdk"));
      jerk_ = std::make_unique<JerkSteps>(state_, rest_, ranks_);
      jerk_->use(bare_ ? *bare_ : field_, pair_walk(), config_.accumulate);
    }
    jerk_->choose(integrator);
  }
  return *jerk_;
}

template <class Real>
const Ranks& CpuEngine<Real>::ranks_of(Domain domain) const {
  if (domain == Domain::tetrahedron) return triples_.ranks();
  return jerk_ ? jerk_->ranks() : pairs_.ranks();
}

template <class Real>
RankShares CpuEngine<Real>::shares(Domain domain) const {
  return ranks_of(domain).shares();
}

template <class Real>
Engine::Timing CpuEngine<Real>::timing() const {
  Timing timing = timing_;
  const auto add = [&](const std::vector<u64>& ns) {
    timing.rank_ms.resize(std::max(timing.rank_ms.size(), ns.size()), 0.0);
    for (std::size_t r = 0; r < ns.size(); ++r) timing.rank_ms[r] += 1e-6 * static_cast<double>(ns[r]);
  };
  if (has_pair_sums(field_)) add(ranks_of(Domain::triangle).ns());
  if (field_.triple != TripleLaw::none) add(ranks_of(Domain::tetrahedron).ns());
  const Domain main = field_.triple != TripleLaw::none ? Domain::tetrahedron : Domain::triangle;
  const RankShares measured = ranks_of(main).measured();
  for (u32 r = 0; r < timing.rank_ms.size(); ++r) timing.rank_parts.push_back(measured.part(r));
  return timing;
}

template <class Real>
void CpuEngine<Real>::keep_rest() {
  if (jerk_) rest_ = jerk_->rest();
  jerk_.reset();
}

template <class Real>
JerkResult CpuEngine<Real>::jerks() {
  const JerkSteps::Motion& motion = jerk_steps(Integrator::hermite, 0).present();
  return {motion.a[0], motion.a[1], motion.a[2], motion.j[0], motion.j[1], motion.j[2], motion.fall, motion.fly};
}

template <class Real>
Bodies CpuEngine<Real>::read() const {
  Bodies bodies = state_.read();
  bodies.rest = jerk_ ? jerk_->rest() : rest_;
  return bodies;
}

template class CpuEngine<float>;
template class CpuEngine<double>;

}  // namespace tri::cpu
