#pragma once
/// What a law reads of a body beyond its position, and what its sums mean.

#include "sim/base/platform.hpp"

namespace tri::laws {

enum Uses : u32 { kPosition = 0, kMass = 1, kRadius = 2, kVelocity = 4, kCharge = 8 };

/// What a backend sums for a law: accelerations (each term times the other body's mass) or forces.
enum class Sums : u8 { acceleration, force };

}  // namespace tri::laws
