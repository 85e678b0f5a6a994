#pragma once
/// Argon in reduced units and in those of a laboratory.

#include "sim/scene/scene.hpp"

namespace tri::scene {

/// sigma = 0.3405 nm and epsilon = 119.8 K are Rahman's (Phys. Rev. 136, A405, 1964), the mass of an atom is 39.948 u;
/// the unit of time is sigma sqrt(m / epsilon) = 2.156 ps.
inline constexpr MolecularUnits kArgon{119.8, 0.3405, 2.156};

}  // namespace tri::scene
