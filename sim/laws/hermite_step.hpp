#pragma once
/// One body's part of a step of the fourth-order Hermite scheme, component by component, for host and device (Makino
/// and Aarseth 1992, PASJ 44, 141; the corrector in the time-symmetric form of Hut, Makino and McMillan 1995, ApJ 443,
/// L93). h is the step, of either sign; index 0 is its begin, 1 its end; a, j, s, c are the acceleration and its first
/// three derivatives (jerk, snap, crackle).

#include "sim/base/platform.hpp"

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
