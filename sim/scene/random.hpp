#pragma once
/// Random numbers of the scenes: one splitmix64 stream a scene, so that (scene, keys, seed) is the state, and what the
/// scenes do with bodies and velocities.

#include <array>
#include <vector>

#include "sim/base/splitmix64.hpp"
#include "sim/model/bodies.hpp"

namespace tri::scene {

using Vec = std::array<double, 3>;

class Random {
 public:
  explicit Random(u64 seed) : stream_{seed} {}

  double uniform() { return stream_.uniform(); }  ///< in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();       ///< mean 0, variance 1 (Box and Muller 1958; the second number is dropped)
  Vec direction();       ///< a unit vector, uniform on the sphere
  u64 below(u64 bound);  ///< 0 .. bound - 1, each as likely to 2^-32 (bound <= 2^32)

 private:
  SplitMix64 stream_;
};

/// The layers 0..n-1 in random order (Fisher and Yates), so that a body's index says nothing about its place.
std::vector<u32> shuffled_layers(u32 n, Random& random);

/// Puts the bodies of `from` behind those of `to`.
void append(Bodies& to, const Bodies& from);

/// Moves the centre of mass to the origin.
void centre_positions(Bodies& bodies);

/// Takes the mean velocity off, so that the momentum is 0 to rounding.
void remove_drift(Bodies& bodies);

/// Scales the velocities so that the kinetic energy is `kinetic`; leaves bodies at rest alone.
void scale_to_kinetic(Bodies& bodies, double kinetic);

/// Maxwell's velocities: normal, each component of variance 1 / m, then zero momentum, then the given kinetic energy
/// exactly. One body, which can have neither both, stays at rest.
void set_thermal_velocities(Bodies& bodies, double kinetic, Random& random);

}  // namespace tri::scene
