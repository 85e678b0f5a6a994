#pragma once
/// Bodies without mass: gravity moves them, and they move nothing. Other laws cannot move them.

#include <optional>
#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// Why the laws of the field cannot have these bodies, as a sentence; empty: they can. A force on a body without mass
/// is an infinite acceleration, and no contact can tell which of two such spheres gives way.
std::string massless_refusal(const Bodies& bodies, const ForceField& field);

/// Whether bodies without mass are at one place, and none is at that of a body with mass. By a sort.
bool only_massless_coincide(const Bodies& bodies, Precision precision);

/// Two bodies without mass at one place do not act on each other, but by gravity and by typed laws that weigh masses
/// their term is 0 times infinity. An engine that finds a sum that is not finite asks for this field, with a softening
/// so short that no other pair notices, and evaluates again. Nothing where that would not help, or would hide that a
/// body with mass coincides with another.
std::optional<ForceField> apart(const Bodies& bodies, const ForceField& field, Precision precision);

}  // namespace tri
