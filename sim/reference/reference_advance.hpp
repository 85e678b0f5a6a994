#pragma once
/// Time stepping of the oracle: the stages of an integrator, executed literally, body by body.

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

/// integrator: not hermite.
/// Advances by `steps` steps of dt (dt < 0 runs backwards) with reference_forces() and the uniform field.
///
/// Velocity-dependent forces (dashpots) use the velocities at the start of the kick. Reflecting walls without a contact
/// law are mirrors; mirrors and periodic wrapping apply after every drift. Contacts by impulse are resolved once, at
/// the end of each step: overlapping pairs in sorted order, then the walls (see laws/contact_impulse.hpp). Bodies of
/// zero mass respond to accelerations only: gravity and the uniform field.
void reference_advance(Bodies& bodies, const ForceField& field, Integrator integrator, double dt, u64 steps);

}  // namespace tri
