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

JerkSteps::JerkSteps(BodyStore<double>& state, const ForceField& field, const Walk<TriangleMapId>& walk,
                     Accumulate accumulate, const std::vector<double>& rest, Communicator* ranks)
    : JerkScheme(field),
      state_(state),
      trial_(state),
      rest_(rest),
      walk_(walk),
      accumulate_(accumulate),
      sums_(ranks) {}

JerkResult JerkSteps::result() {
  const auto& [a, j] = begin_;
  return {a[0], a[1], a[2], j[0], j[1], j[2], begin_rates_.fall, begin_rates_.fly};
}

JerkScheme::Rates JerkSteps::evaluate(const BodyStore<double>& bodies, Motion& to) {
  law_.come_together([&] { return bodies.read(); }, Precision::fp64);
  for (;;) {
    sum(bodies, to);
    u32 bad = 0;
    while (bad < bodies.n && finite(to, bad)) ++bad;
    if (bad == bodies.n) return {sums_.fall, sums_.fly};
    if (law_.keep_apart(bodies.read(), Precision::fp64)) continue;
    throw NumericalError(force_fault(bodies.read(), Precision::fp64, "an acceleration", bad, ""), 1);
  }
}

void JerkSteps::sum(const BodyStore<double>& bodies, Motion& to) {
  const Stopwatch watch;
  try {
    sums_.evaluate(law_.field(), bodies.view(), walk_, accumulate_);
  } catch (const NotFinite&) {  // integer sums cannot say which body
    sums_.evaluate(law_.field(), bodies.view(), walk_, Accumulate::fast);
    if (sums_.a[0].size() == bodies.n) sums_.a[0][0] += NAN;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    to.a[k].swap(sums_.a[k]), to.j[k].swap(sums_.j[k]);
    for (double& a : to.a[k]) a += law_.field().field[k];
  }
  force_ms_ += watch.ms();
}

JerkScheme::Tried JerkSteps::try_kdk(double h) {
  const Columns x = places(state_), v = velocities(state_), to = places(trial_);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) to[k][i] = x[k][i] + h * (v[k][i] + h / 2 * begin_.a[k][i]);
  }
  return {evaluate(trial_, end_)};
}

JerkScheme::Tried JerkSteps::try_hermite(double h, bool again) {
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
  const Rates end = evaluate(trial_, end_);
  interpolate(h);
  return {end, aarseth2(begin_, 0), aarseth2(end_, h)};
}

void JerkSteps::interpolate(double h) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) {
      const laws::Derivatives d = laws::interpolated(begin_.a[k][i], begin_.j[k][i], end_.a[k][i], end_.j[k][i], h);
      snap_[k][i] = d.s, crackle_[k][i] = d.c;
    }
  }
}

double JerkSteps::aarseth2(const Motion& motion, double after) const {
  double least = std::numeric_limits<double>::infinity();
  for (u32 i = 0; i < state_.n; ++i) {
    double a[3], j[3], s[3], c[3];
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = motion.a[k][i], j[k] = motion.j[k][i], c[k] = crackle_[k][i];
      s[k] = snap_[k][i] + after * c[k];
    }
    least = std::min(least, laws::aarseth_step2(a, j, s, c));
  }
  return least;
}

void JerkSteps::accept_kdk(double h) {
  const Columns v = velocities(state_);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) v[k][i] += h / 2 * (begin_.a[k][i] + end_.a[k][i]);
  }
  const Columns x = places(state_), end = places(trial_);
  for (std::size_t k = 0; k < 3; ++k) std::copy(end[k].begin(), end[k].end(), x[k].begin());
  rest_.clear();
  std::swap(begin_, end_);
}

void JerkSteps::accept_hermite(double h) {
  const Columns x = places(state_), v = velocities(state_);
  rest_.resize(std::size_t{3} * state_.n, 0.0);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) {
      const double a0 = begin_.a[k][i], a1 = end_.a[k][i], v0 = v[k][i];
      const double v1 = v0 + laws::corrected_change(a0, begin_.j[k][i], a1, end_.j[k][i], h);
      const laws::Carried sum = laws::carried_sum(x[k][i], rest_[3 * i + k], laws::corrected_change(v0, a0, v1, a1, h));
      v[k][i] = v1, x[k][i] = sum.value, rest_[3 * i + k] = sum.rest;
    }
  }
}

// Steps of the engine: the stages of an integrator, and what follows steps from jerks.

template <class Real>
void CpuEngine<Real>::run_stages(Integrator integrator, double dt, u64 steps) {
  const std::span<const Stage> list = stages(integrator);
  for (u64 step = 1; step <= steps; ++step) run_step(list, dt, step);
}

template <class Real>
void CpuEngine<Real>::run_step(std::span<const Stage> list, double dt, u64 step) {
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
  if (law_.field().pair == PairLaw::contact && law_.field().contact.impulse) resolve_impulses(dt);
  check_finite(step);
  timing_.integrate = watch.ms() - force_ms;
}

template <class Real>
void CpuEngine<Real>::check_finite(u64 step) const {
  const u32 bad = state_.first_not_finite();
  if (bad < state_.n) throw NumericalError(state_fault(bad, step, config_.precision), step);
}

template <class Real>
std::unique_ptr<JerkScheme> CpuEngine<Real>::make_jerks() {
  if constexpr (std::is_same_v<Real, double>) {
    const auto bytes = [&](u64 n) { return jerk_steps_bytes(n, config_.accumulate, config_.threads); };
    require_memory(static_cast<double>(bytes(state_.n)), fmt::format("steps with jerks of {} bodies", state_.n),
                   size_hint("Use ", largest_that_fits(bytes, available_memory()),
                             " bodies or fewer, or --threads 1, or steps of a given length by kdk"));
    return std::make_unique<JerkSteps>(state_, law_.given(), pair_walk(), config_.accumulate, rest_, ranks_);
  }
  TRI_UNREACHABLE("jerks in float32");
}

template <class Real>
void CpuEngine<Real>::finish_jerk_step(JerkScheme& steps, u64 step) {
  check_finite(step);
  steps.evaluate();
  const JerkSteps::Motion& motion = static_cast<JerkSteps&>(steps).motion();
  AlignedVector<Real>* const published[] = {&ax_, &ay_, &az_};
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 i = 0; i < state_.n; ++i) (*published[k])[i] = static_cast<Real>(motion.a[k][i]);
  }
}

template <class Real>
void CpuEngine<Real>::account_jerk_step(JerkScheme& steps, double ms, double force_ms_before) {
  timing_.force = steps.force_ms() - force_ms_before;
  timing_.force_when = {};  // several evaluations
  timing_.integrate = ms - timing_.force;
}

template <class Real>
const Ranks& CpuEngine<Real>::ranks_of(Domain domain) const {
  if (domain == Domain::tetrahedron) return triples_.ranks();
  return jerk_ ? static_cast<const JerkSteps&>(*jerk_).ranks() : pairs_.ranks();
}

template <class Real>
auto CpuEngine<Real>::timing() const -> Timing {
  Timing timing = timing_;
  const auto add = [&](const std::vector<u64>& ns) {
    timing.rank_ms.resize(std::max(timing.rank_ms.size(), ns.size()), 0.0);
    for (std::size_t r = 0; r < ns.size(); ++r) timing.rank_ms[r] += 1e-6 * static_cast<double>(ns[r]);
  };
  if (has_pair_sums(law_.field())) add(ranks_of(Domain::triangle).ns());
  if (law_.field().triple != TripleLaw::none) add(ranks_of(Domain::tetrahedron).ns());
  const Domain main = law_.field().triple != TripleLaw::none ? Domain::tetrahedron : Domain::triangle;
  const RankShares measured = ranks_of(main).measured();
  for (u32 r = 0; r < timing.rank_ms.size(); ++r) timing.rank_parts.push_back(measured.part(r));
  return timing;
}

template <class Real>
Bodies CpuEngine<Real>::read() const {
  Bodies bodies = state_.read();
  bodies.rest = this->rest();
  return bodies;
}

template class CpuEngine<float>;
template class CpuEngine<double>;

}  // namespace tri::cpu
