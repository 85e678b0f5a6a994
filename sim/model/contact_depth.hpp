#pragma once
/// Springs of contacts that are too soft: spheres that press into each other, or through a wall, deeper than spheres
/// do.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri {

/// A contact of springs is one of spheres up to an overlap of this part of the smaller radius.
inline constexpr double kDeepOverlap = 0.5;

/// One sentence where the energy with which two of the bodies approach, or one meets a wall, can press the springs
/// deeper than kDeepOverlap of the smaller radius (at a wall: the whole radius); else empty. Between reflecting walls
/// any two may meet, and a uniform field makes them faster on the way down; without walls those whose straight paths
/// meet. Looks at pairs of the bodies with the largest energies. Empty for any other law.
std::string soft_spring_warning(const Bodies& bodies, const ForceField& field);

/// Looks for such overlaps in the states of a run, as often as their speeds ask for, until it has found one.
class OverlapWatch {
 public:
  /// Whether the law has springs and nothing was found yet.
  bool wants(const ForceField& field) const;
  /// One sentence with the deepest overlap beyond the limits; else empty.
  std::string look(const Bodies& bodies, const ForceField& field, double time);
  /// Before this time no sphere comes from a touch to a deep overlap and out again.
  double next_time() const noexcept { return next_; }

 private:
  bool found_ = false;
  double next_ = 0;
};

}  // namespace tri
