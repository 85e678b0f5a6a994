#pragma once
/// How small a step the contact law needs, and what to say when it is larger.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri {

/// A contact is resolved well when it lasts at least this many steps.
inline constexpr double kStepsPerContact = 50.0;

/// How long two spheres with the linear spring k and dashpot c stay in contact, m_eff = m1 m2 / (m1 + m2) (against a
/// wall: the mass itself): half a period of the damped oscillator, pi / (w0 sqrt(1 - zeta^2)), with w0 = sqrt(k /
/// m_eff) and zeta = c / (2 sqrt(k m_eff)). Overdamped (zeta >= 1) spheres do not part again; the answer is then pi /
/// (w0 (zeta + sqrt(zeta^2 - 1))), the time scale of the faster decay. Needs k > 0, m_eff > 0, c >= 0.
double contact_time(double k, double m_eff, double c = 0.0);

/// Velocity after over velocity before a head-on contact: exp(-pi zeta / sqrt(1 - zeta^2)); 0 when overdamped.
double contact_restitution(double k, double m_eff, double c);

/// The shortest time scale of the contacts that the bodies of a scene can have: that of the smallest reduced mass,
/// which is that of the lightest sphere and the lightest other body (with reflecting walls and one body, its own mass).
/// A weak dashpot counts as none: near critical damping a contact lasts long, but within it things are no slower.
/// Massless bodies do not count. Infinity when no contact springs act.
double shortest_contact(const Bodies& bodies, const ForceField& field);

/// The longest step in which no sphere can pass another unseen, for contacts by impulse, which are found at the end of
/// a step: two spheres that approach by less than the distance from touching to centre on centre still approach when
/// they are found. Of the fastest two bodies and the smallest sphere with the smallest other body, at the speeds of
/// this state and what a uniform field adds over the height of a reflecting box. Infinity for any other law, and at
/// rest.
double longest_impulse_step(const Bodies& bodies, const ForceField& field);

/// Empty when |dt| <= shortest_contact / 50 and |dt| <= longest_impulse_step, else one sentence that gives the step,
/// what it is held against and the cure.
std::string contact_step_warning(const Bodies& bodies, const ForceField& field, double dt);

}  // namespace tri
