#pragma once
/// Random numbers for scenes: one splitmix64 stream per scene, so that (scene, keys, seed) determines the state; and
/// operations on bodies and velocities.

#include <array>
#include <vector>

#include "sim/base/splitmix64.hpp"
#include "sim/model/bodies.hpp"

namespace tri::scene {

using Vec = std::array<double, 3>;

/// Reports progress (sim/base/progress.hpp), so that the making of many bodies can be cancelled.
class Random {
 public:
  explicit Random(u64 seed) : stream_{seed} {}

  double uniform() {  ///< in [0, 1)
    if (++drawn_ % kReportEvery == 0) report();
    return stream_.uniform();
  }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();       ///< mean 0, variance 1 (Box and Muller 1958; the second number is discarded)
  Vec direction();       ///< a unit vector, uniform on the sphere
  u64 below(u64 bound);  ///< 0 .. bound - 1, uniform to 2^-32 (bound <= 2^32)

 private:
  static constexpr u32 kReportEvery = 1 << 14;
  static void report();

  SplitMix64 stream_;
  u32 drawn_ = 0;
};

/// The layers 0..n-1 in random order (Fisher and Yates), so that a body's index is independent of its position.
std::vector<u32> shuffled_layers(u32 n, Random& random);

/// Appends the bodies of `from` to `to`.
void append(Bodies& to, const Bodies& from);

/// Moves the centre of mass to the origin.
void centre_positions(Bodies& bodies);

/// Subtracts the mean velocity, so that the momentum is 0 up to rounding.
void remove_drift(Bodies& bodies);

/// Scales the velocities to this kinetic energy; does nothing if all bodies are at rest.
void scale_to_kinetic(Bodies& bodies, double kinetic);

/// Maxwellian velocities: normal components of variance 1 / m, shifted to zero momentum and scaled to this kinetic
/// energy. A single body stays at rest.
void set_thermal_velocities(Bodies& bodies, double kinetic, Random& random);

}  // namespace tri::scene
