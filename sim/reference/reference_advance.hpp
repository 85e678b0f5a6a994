#pragma once
/// The oracle's time stepping: the stages of an integrator carried out literally, one body after another.

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

/// Takes `steps` steps of dt (dt < 0 runs backwards), forces by reference_forces() plus the uniform field.
///
/// Forces that depend on velocity (a dashpot) are taken at the velocities that stand when the kick begins.
/// Reflecting walls without a contact law are mirrors, applied after every drift; so is what periodic walls do to
/// positions. Contacts by impulse are resolved once, at the end of each step: overlapping pairs in sorted order, then
/// the walls (see laws/contact_impulse.hpp).
/// Bodies of zero mass move under accelerations only: they feel gravity and the uniform field, no other force.
void reference_advance(Bodies& bodies, const ForceField& field, Integrator integrator, double dt, u64 steps);

}  // namespace tri
