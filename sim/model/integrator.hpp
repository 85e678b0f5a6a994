#pragma once
/// Integrators: stages, Hermite's step, names, automatic steps.
///
/// One body's part of a step of the fourth-order Hermite scheme, component by component, for host and device (Makino
/// and Aarseth 1992, PASJ 44, 141; the corrector in the time-symmetric form of Hut, Makino and McMillan 1995, ApJ 443,
/// L93). h is the step, of either sign; index 0 is its begin, 1 its end; a, j, s, c are the acceleration and its first
/// three derivatives (jerk, snap, crackle).

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::laws {

/// One component of a and its derivatives at the begin of a step.
struct Derivatives {
  double a = 0, j = 0, s = 0, c = 0;
};

/// The change of a velocity component over h by its Taylor series.
TRI_HD TRI_INLINE double velocity_change(const Derivatives& d, double h) {
  return h * (d.a + h / 2 * (d.j + h / 3 * (d.s + h / 4 * d.c)));
}

/// The change of a position component over h by its Taylor series.
TRI_HD TRI_INLINE double position_change(double v, const Derivatives& d, double h) {
  return h * (v + h / 2 * (d.a + h / 3 * (d.j + h / 4 * (d.s + h / 5 * d.c))));
}

/// Snap at the begin, and crackle, of the cubic that has these accelerations and jerks at both ends (eqs. 5 and 6).
TRI_HD TRI_INLINE Derivatives interpolated(double a0, double j0, double a1, double j1, double h) {
  const double da = a0 - a1;
  return {a0, j0, (-6 * da - h * (4 * j0 + 2 * j1)) / (h * h), (12 * da + 6 * h * (j0 + j1)) / (h * h * h)};
}

/// v1 = v0 + (a0 + a1) h/2 + (j0 - j1) h^2/12
TRI_HD TRI_INLINE double corrected_change(double a0, double j0, double a1, double j1, double h) {
  return h / 2 * (a0 + a1) + h * h / 12 * (j0 - j1);
}

TRI_HD TRI_INLINE double length(const double (&v)[3]) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// Aarseth's squared step for eta = 1 (Aarseth 1985, in Multiple Time Scales, p. 377; Makino and Aarseth eq. 7):
/// (|a||s| + |j|^2) / (|j||c| + |s|^2); infinite for a body whose acceleration does not change.
TRI_HD TRI_INLINE double aarseth_step2(const double (&a)[3], const double (&j)[3], const double (&s)[3],
                                       const double (&c)[3]) {
  const double jerk = length(j), snap = length(s);
  const double below = jerk * length(c) + snap * snap;
  if (below == 0) return HUGE_VAL;
  return (length(a) * snap + jerk * jerk) / below;
}

/// A number and the rest that its last rounding left (Neumaier's sum without the comparison: |add| is small).
struct Carried {
  double value, rest;
};
TRI_HD TRI_INLINE Carried carried_sum(double value, double rest, double add) {
  const double change = add + rest;
  const double sum = value + change;
  return {sum, change - (sum - value)};
}

}  // namespace tri::laws

// The list of integrator names.

namespace tri {

/// The names that integrator_from() accepts, in the order of the enumerators.
std::vector<std::string_view> integrator_names();

// Integrators as data: a step is a list of drifts (x += a dt v) and kicks (v += b dt a). An engine executes the list;
// a new scheme is a new table. At the end of a step velocities and positions are at the same time.
//
//     symplectic-euler   kick 1, drift 1                                       first order
//     kdk                kick 1/2, drift 1, kick 1/2 (velocity Verlet)         second order, reversible
//     yoshida4           three kdk steps of w1, w0, w1 (Yoshida 1990)          fourth order, reversible
//     hermite            no such list: see integrator.hpp                 fourth order, reversible
//
// A kick after a drift needs new accelerations; the first kick of a step may reuse those of the last one.

enum class Integrator : u8 { kdk, symplectic_euler, yoshida4, hermite };
constexpr auto enum_table(Integrator) {
  return enum_names<Integrator>("integrator", "kdk", "symplectic-euler", "yoshida4", "hermite");
}

struct Stage {
  enum class Kind : u8 { kick, drift } kind;
  double fraction;  ///< of dt
};

/// The stages of one step, with adjacent kicks merged; not of hermite. Static lifetime.
std::span<const Stage> stages(Integrator integrator);

/// By its name, or one of its other names ("leapfrog"). Throws ConfigError listing the names.
Integrator integrator_from(const std::string& name);

// Steps whose length follows from the motion: one length for all bodies, chosen anew for each step.
//
// The length is the mean of what a criterion asks for at both ends of the step, which makes the step time-symmetric
// and its energy error free of drift (Hut, Makino and McMillan 1995, ApJ 443, L93). As the end depends on the length,
// a step is tried twice: with the length that the step before asked for at its end, and with the mean that follows.
//
//     hermite   sqrt(eta) times Aarseth's ratio of derivatives, the smallest of all bodies (integrator.hpp)
//     kdk       eta times the shortest free-fall time of a pair, sqrt((d^2 + eps^2)^(3/2) / G (m_i + m_j))
//
// Bodies that part for ever ask for longer and longer steps: none is longer than longest_step(). A lone body asks for
// no length at all, and gets AutoStep::idle.

/// How the next step is chosen.
struct AutoStep {
  double eta = 0;                                         ///< accuracy, > 0: the smaller, the shorter the steps
  double next = 0;                                        ///< length to try first, of the step before; 0: there is none
  double most = std::numeric_limits<double>::infinity();  ///< > 0, not to be passed, but to be met exactly
  bool backwards = false;
  double longest = std::numeric_limits<double>::infinity();  ///< > 0, not to be passed
  double idle = 1;                                           ///< > 0: the length where nothing acts
};

/// A step that was taken.
struct StepTaken {
  double length = 0;  ///< > 0; equal to AutoStep::most when that is met
  double next = 0;    ///< what the criterion asks for at the end, > 0
};

/// A scheme that tries a step before it takes it.
class StepScheme {
 public:
  virtual ~StepScheme() = default;
  struct Attempt {
    double begin = 0, end = 0;  ///< lengths that the criterion asks for at both ends
  };
  /// A safe length for a step from the present state; infinity where nothing acts.
  virtual double first_length(double eta) = 0;
  /// A step of h (its sign is the direction) from the present state, which stays. again: the attempt before was from
  /// this state too.
  virtual Attempt attempt(double h, double eta, bool again) = 0;
  /// Takes the step of the last attempt.
  virtual void accept() = 0;
};

/// Takes one step. Throws NumericalError where no length satisfies the criterion, and what the scheme throws.
StepTaken advance_step(StepScheme& scheme, const AutoStep& step);
/// One step of length h, tried twice so that the corrected state is what it is computed from.
void advance_step(StepScheme& scheme, double h);

/// Lengths by the criteria above, of states whose largest squared rates are these (gravity.hpp). aarseth2:
/// the smallest laws::aarseth_step2() of all bodies. Rounding errors of its differences could make that shorter and
/// shorter; it counts down to a quarter of sqrt(eta) over the rate of the fastest pair. Infinity where nothing acts.
double kdk_length(double eta, double fall);
double hermite_length(double eta, double aarseth2, double fall, double fly);
double shortest_hermite_length(double eta, double fall, double fly);

/// A hundred times the time in which the bodies cross their system, of size G M^2 / |U|, or fall through it from rest,
/// whichever is shorter (the crossing time of Aarseth, Gravitational N-Body Simulations, 2003, with speed and potential
/// apart). `first`: of step 0, so that the length is the same throughout a run and after a restart. Infinity where
/// there is no potential energy.
double longest_step(const Diagnostics& first, double G);

/// The usual accuracy of a scheme that has automatic steps.
double usual_eta(Integrator integrator);

/// Why this run cannot have this scheme (eta = 0), or this scheme with automatic steps (eta > 0); empty: it can. One
/// sentence with what to do, of options; of_text: what chose the scheme where no option did, "integrator = hermite".
std::string scheme_refusal(const ForceField& field, Integrator integrator, double eta, Precision precision,
                           const std::string& of_text = "");

}  // namespace tri
