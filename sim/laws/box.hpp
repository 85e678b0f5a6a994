#pragma once
/// The box of a scene and what its walls do.

#include <array>

#include "sim/base/platform.hpp"

namespace tri {

enum class Boundary : u8 { open, reflecting, periodic };

/// Axis-parallel box. Reflecting walls act like the scene's contact law: by spring and dashpot or by impulse
/// under PairLaw::contact, otherwise as mirrors on the body's centre.
///
/// Periodic: space repeats with the box. What leaves on one side comes in on the other, positions lie in [low, high),
/// and a pair acts between nearest images. That is the whole truth only for laws that end within half a side: contact
/// with diameters up to half of the shortest side, lennard-jones with a cut-off up to it, no law at all. check()
/// refuses the others.
struct Box {
  std::array<double, 3> low{0, 0, 0};
  std::array<double, 3> high{1, 1, 1};
  Boundary boundary = Boundary::open;
};

}  // namespace tri
