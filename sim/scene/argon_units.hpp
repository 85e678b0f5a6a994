#pragma once
/// Conversion of argon's reduced units to laboratory units.

#include "sim/scene/scene.hpp"

namespace tri::scene {

/// sigma = 0.3405 nm and epsilon = 119.8 K (Rahman, Phys. Rev. 136, A405, 1964), mass of an atom 39.948 u, unit of time
/// sigma sqrt(m / epsilon) = 2.156 ps.
inline constexpr MolecularUnits kArgon{119.8, 0.3405, 2.156};

}  // namespace tri::scene
