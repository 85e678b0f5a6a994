#pragma once
/// Steps whose length follows from the motion: one length for all bodies, chosen anew for each step.
///
/// The length is the mean of what a criterion asks for at both ends of the step, which makes the step time-symmetric
/// and its energy error free of drift (Hut, Makino and McMillan 1995, ApJ 443, L93). As the end depends on the length,
/// a step is tried twice: with the length that the step before asked for at its end, and with the mean that follows.
///
///     hermite   sqrt(eta) times Aarseth's ratio of derivatives, the smallest of all bodies (laws/hermite_step.hpp)
///     kdk       eta times the shortest free-fall time of a pair, sqrt((d^2 + eps^2)^(3/2) / G (m_i + m_j))
///
/// Bodies that part for ever ask for longer and longer steps: none is longer than longest_step(). A lone body asks for
/// no length at all, and gets AutoStep::idle.

#include <limits>
#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

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
StepTaken take_step(StepScheme& scheme, const AutoStep& step);
/// One step of length h, tried twice so that the corrected state is what it is computed from.
void take_step(StepScheme& scheme, double h);

/// Lengths by the criteria above, of states whose largest squared rates are these (laws/gravity_jerk.hpp). aarseth2:
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
/// sentence with what to do.
std::string scheme_refusal(const ForceField& field, Integrator integrator, double eta, Precision precision);

}  // namespace tri
