#include "sim/cpu/engine/jerk_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/hermite_step.hpp"
#include "sim/model/massless.hpp"
#include "sim/model/numerical_fault.hpp"

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

}  // namespace tri::cpu
