#pragma once
/// Bodies without mass: gravity moves them, and they move nothing. Other laws cannot move them.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// Why the laws of the field cannot have these bodies, as a sentence; empty: they can. A force on a body without mass
/// is an infinite acceleration, and no contact can tell which of two such spheres gives way.
std::string massless_refusal(const Bodies& bodies, const ForceField& field);

/// The field for an engine of these bodies. Two bodies without mass at one place do not act on each other, but without
/// a softening their term is 0 times infinity: then the softening is so short that no other pair notices. Where a body
/// with mass coincides with another one the field stays as it is, and the engine says so.
ForceField apart(const Bodies& bodies, ForceField field, Precision precision);

}  // namespace tri
