#pragma once
/// The step that the contact law needs, and the warning for a larger one. Springs that are too soft: spheres that press
/// into each other, or through a wall, deeper than spheres do.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri {

/// A contact is well resolved if it lasts at least this many steps.
inline constexpr double kStepsPerContact = 50.0;

/// How long two spheres with the linear spring k and dashpot c stay in contact, m_eff = m1 m2 / (m1 + m2) (against a
/// wall: the mass itself): half a period of the damped oscillator, pi / (w0 sqrt(1 - zeta^2)), with w0 = sqrt(k /
/// m_eff) and zeta = c / (2 sqrt(k m_eff)). Overdamped (zeta >= 1) spheres do not separate again; the result is then pi
/// / (w0 (zeta + sqrt(zeta^2 - 1))), the time scale of the faster decay. Requires k > 0, m_eff > 0, c >= 0.
double contact_time(double k, double m_eff, double c = 0.0);

/// Ratio of the velocities after and before a head-on contact: exp(-pi zeta / sqrt(1 - zeta^2)); 0 if overdamped.
double contact_restitution(double k, double m_eff, double c);

/// The shortest time scale of possible contacts in a scene: that of the smallest reduced mass, which is that of the
/// lightest sphere and the lightest other body (with reflecting walls and one body, its own mass). Ignores a weak
/// dashpot: near critical damping a contact lasts long, but its motion is no slower. Ignores massless bodies. Infinity
/// without contact springs.
double shortest_contact(const Bodies& bodies, const ForceField& field);

/// The longest step in which no sphere can pass through another undetected, for contacts by impulse, which are detected
/// at the end of a step: two spheres that approach by less than the distance from touching to coincident centres are
/// still approaching when detected. Uses the two fastest bodies and the smallest sphere with the smallest other body,
/// at the current speeds plus what a uniform field adds over the height of a reflecting box. Infinity for any other
/// law, and at rest.
double longest_impulse_step(const Bodies& bodies, const ForceField& field);

/// Empty if |dt| <= shortest_contact / 50 and |dt| <= longest_impulse_step, else one sentence with the step, the limit
/// and the remedy.
std::string contact_step_warning(const Bodies& bodies, const ForceField& field, double dt);

/// A contact of springs is one of spheres up to an overlap of this part of the smaller radius.
inline constexpr double kDeepOverlap = 0.5;

/// One sentence where the energy with which two of the bodies approach, or one meets a wall, can press the springs
/// deeper than kDeepOverlap of the smaller radius (at a wall: the whole radius); else empty. Between reflecting walls
/// any two may meet, and a uniform field makes them faster on the way down; without walls those whose straight paths
/// meet. Looks at pairs of the bodies with the largest energies. Empty for any other law.
std::string soft_spring_warning(const Bodies& bodies, const ForceField& field);

/// Looks for such overlaps in the states of a run, as often as their speeds ask for.
class OverlapWatch {
 public:
  /// Whether the law has springs.
  static bool wants(const ForceField& field);
  /// The first time that there is one, a sentence with the deepest overlap beyond the limits; else empty.
  std::string look(const Bodies& bodies, const ForceField& field, double time);
  /// Before this time no sphere comes from a touch to a deep overlap and out again.
  double next_time() const noexcept { return next_; }

  /// The deepest overlap of all states looked at, over the smaller radius of the pair or the radius of a sphere that is
  /// beyond a wall; 0: there was none.
  struct Largest {
    double of_radius = 0, time = 0;
  };
  const Largest& largest() const noexcept { return largest_; }

 private:
  bool found_ = false;
  double next_ = 0;
  Largest largest_;
};

}  // namespace tri
