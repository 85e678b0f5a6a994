// Steps of the cpu engine, one after another: with jerks, in stages, and what follows the forces.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/integrator.hpp"

namespace tri::cpu {
namespace {

using Columns = std::array<std::span<double>, 3>;

Columns places(BodyStore<double>& b) { return {b.x, b.y, b.z}; }
Columns velocities(BodyStore<double>& b) { return {b.vx, b.vy, b.vz}; }

bool finite(const JerkSteps::Motion& motion, std::size_t i) {
  double zero = 0;
  for (std::size_t k = 0; k < 3; ++k) zero += motion.a[k][i] * 0 + motion.j[k][i] * 0;
  return zero == 0;
}

}  // namespace

JerkSteps::JerkSteps(BodyStore<double>& state, const std::vector<double>& rest, Communicator* ranks)
    : state_(state), trial_(state), rest_(rest), sums_(ranks) {}

void JerkSteps::use(const ForceField& field, const Walk<TriangleMapId>& walk, Accumulate accumulate) {
  field_ = field, walk_ = walk, accumulate_ = accumulate;
  bare_.reset();
  valid_ = false;
}

/// A kdk step leaves no jerk of its end.
void JerkSteps::choose(Integrator integrator) {
  if (integrator != integrator_) valid_ = false;
  integrator_ = integrator;
}

/// As an engine does with its accelerations.
void JerkSteps::evaluate(const BodyStore<double>& bodies, Motion& to) {
  if (bare_ && !only_massless_coincide(bodies.read(), Precision::fp64)) {
    field_ = std::move(*bare_);
    bare_.reset();
  }
  sum(bodies, to);
  const auto first_bad = [&] {
    u32 i = 0;
    while (i < bodies.n && finite(to, i)) ++i;
    return i;
  };
  u32 bad = first_bad();
  if (bad == bodies.n) return;
  std::optional<ForceField> softened = bare_ ? std::nullopt : apart(bodies.read(), field_, Precision::fp64);
  if (softened) {
    bare_ = std::exchange(field_, std::move(*softened));
    sum(bodies, to);
    bad = first_bad();
  }
  if (bad < bodies.n) throw NumericalError(force_fault(bodies.read(), Precision::fp64, "an acceleration", bad, ""), 1);
}

void JerkSteps::sum(const BodyStore<double>& bodies, Motion& to) {
  const Stopwatch watch;
  try {
    sums_.evaluate(field_, bodies.view(), walk_, accumulate_);
  } catch (const ForceSums::NotFinite&) {  // integer sums cannot say which body
    sums_.evaluate(field_, bodies.view(), walk_, Accumulate::fast);
    if (sums_.a[0].size() == bodies.n) sums_.a[0][0] += NAN;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    to.a[k].swap(sums_.a[k]), to.j[k].swap(sums_.j[k]);
    for (double& a : to.a[k]) a += field_.field[k];
  }
  to.fall = sums_.fall, to.fly = sums_.fly;
  force_ms_ += watch.ms();
}

const JerkSteps::Motion& JerkSteps::present() {
  if (!valid_) evaluate(state_, begin_);
  valid_ = true;
  return begin_;
}

double JerkSteps::first_length(double eta) {
  const Motion& now = present();
  return integrator_ == Integrator::kdk ? kdk_length(eta, now.fall) : shortest_hermite_length(eta, now.fall, now.fly);
}

StepScheme::Attempt JerkSteps::attempt(double h, double eta, bool again) {
  present();
  h_ = h;
  return integrator_ == Integrator::kdk ? attempt_kdk(h, eta) : attempt_hermite(h, eta, again);
}

StepScheme::Attempt JerkSteps::attempt_kdk(double h, double eta) {
  const Columns x = places(state_), v = velocities(state_), to = places(trial_);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) to[k][i] = x[k][i] + h * (v[k][i] + h / 2 * begin_.a[k][i]);
  }
  evaluate(trial_, end_);
  return {kdk_length(eta, begin_.fall), kdk_length(eta, end_.fall)};
}

StepScheme::Attempt JerkSteps::attempt_hermite(double h, double eta, bool again) {
  const Columns x = places(state_), v = velocities(state_), to_x = places(trial_), to_v = velocities(trial_);
  for (std::size_t k = 0; k < 3; ++k) {
    if (!again) snap_[k].assign(state_.n, 0.0), crackle_[k].assign(state_.n, 0.0);
    for (u32 i = 0; i < state_.n; ++i) {
      const laws::Derivatives d{begin_.a[k][i], begin_.j[k][i], snap_[k][i], crackle_[k][i]};
      const double rest = rest_.empty() ? 0 : rest_[3 * i + k];
      to_x[k][i] = x[k][i] + (rest + laws::position_change(v[k][i], d, h));
      to_v[k][i] = v[k][i] + laws::velocity_change(d, h);
    }
  }
  evaluate(trial_, end_);
  interpolate(h);
  return {hermite_length(begin_, eta, 0), hermite_length(end_, eta, h)};
}

void JerkSteps::interpolate(double h) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) {
      const laws::Derivatives d = laws::interpolated(begin_.a[k][i], begin_.j[k][i], end_.a[k][i], end_.j[k][i], h);
      snap_[k][i] = d.s, crackle_[k][i] = d.c;
    }
  }
}

/// The criterion for this end of the attempt, `after` its begin.
double JerkSteps::hermite_length(const Motion& motion, double eta, double after) const {
  double least = std::numeric_limits<double>::infinity();
  for (u32 i = 0; i < state_.n; ++i) {
    double a[3], j[3], s[3], c[3];
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = motion.a[k][i], j[k] = motion.j[k][i], c[k] = crackle_[k][i];
      s[k] = snap_[k][i] + after * c[k];
    }
    least = std::min(least, laws::aarseth_step2(a, j, s, c));
  }
  return tri::hermite_length(eta, least, motion.fall, motion.fly);
}

void JerkSteps::accept() {
  if (integrator_ == Integrator::hermite) return accept_hermite();
  const Columns v = velocities(state_);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) v[k][i] += h_ / 2 * (begin_.a[k][i] + end_.a[k][i]);
  }
  const Columns x = places(state_), end = places(trial_);
  for (std::size_t k = 0; k < 3; ++k) std::copy(end[k].begin(), end[k].end(), x[k].begin());
  rest_.clear();
  std::swap(begin_, end_);
}

void JerkSteps::accept_hermite() {
  const Columns x = places(state_), v = velocities(state_);
  rest_.resize(std::size_t{3} * state_.n, 0.0);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) {
      const double a0 = begin_.a[k][i], a1 = end_.a[k][i], v0 = v[k][i];
      const double v1 = v0 + laws::corrected_change(a0, begin_.j[k][i], a1, end_.j[k][i], h_);
      const laws::Carried sum =
          laws::carried_sum(x[k][i], rest_[3 * i + k], laws::corrected_change(v0, a0, v1, a1, h_));
      v[k][i] = v1, x[k][i] = sum.value, rest_[3 * i + k] = sum.rest;
    }
  }
  valid_ = false;
  present();
}

// Steps: the stages of an integrator, those of the Hermite scheme, and those of automatic length.

template <class Real>
template <class Take>
void CpuEngine<Real>::run_or_restore(const Take& take) {
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
  run_or_restore([&] {
    if (integrator == Integrator::hermite) {
      JerkSteps& jerks = jerk_steps(integrator, 0);
      for (u64 step = 1; step <= steps; ++step) run_jerk_step(jerks, step, [&] { advance_step(jerks, dt); });
      return;
    }
    keep_rest();
    if (dt != 0) rest_.clear();  // steps of no length move nothing
    const std::span<const Stage> list = stages(integrator);
    for (u64 step = 1; step <= steps; ++step) run_stages(list, dt, step);
  });
}

template <class Real>
StepTaken CpuEngine<Real>::advance_auto(Integrator integrator, const AutoStep& step) {
  TRI_EXPECTS(step.eta > 0);
  StepTaken taken;
  run_or_restore([&] {
    JerkSteps& jerks = jerk_steps(integrator, step.eta);
    run_jerk_step(jerks, 1, [&] { taken = advance_step(jerks, step); });
  });
  return taken;
}

template <class Real>
void CpuEngine<Real>::run_stages(std::span<const Stage> list, double dt, u64 step) {
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
void CpuEngine<Real>::run_jerk_step(JerkSteps& steps, u64 step, const Take& take) {
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
