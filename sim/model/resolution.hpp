#pragma once
/// Whether a floating-point type resolves a simulation: its numbers lie ulp(x) apart at x, and positions, radii,
/// distances of neighbours and the motion of a step have to be larger than that. A body at 1e6 that moves by 0.01 in a
/// step stays where it is in float32, where numbers are 0.06 apart, and no error shows it: energies and momenta are
/// those of bodies at rest.

#include <string>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// What this precision would lose, without a full stop; empty if it holds the simulation. Fast enough for every start:
/// one pass over the bodies, and up to a million of them a sort, for the nearest neighbours. Looks at
/// - typical motion: by the rms speed, or that which gravity, a uniform field or epsilon give, 16 ulp(x) a step;
/// - single bodies: those with a tenth of that speed and more move by 2 ulp(x) a step;
/// - the change of velocity by gravity or a uniform field: 16 ulp(v) a step;
/// - radii under contact: 4096 ulp(x), as overlaps are small parts of them;
/// - distances of neighbours under other laws, or the softening if that is larger: 256 ulp(x), of Lennard-Jones 1024;
/// - in fp32, check_float_values() and check_float_range().
std::string resolution_loss(const Bodies& bodies, const ForceField& field, double dt, Precision precision);

/// Looks for bodies that a run no longer resolves. A few passes over the bodies; not for several threads.
class MotionWatch {
 public:
  /// A sentence about the state after this step, by the same rules for single bodies and radii, and by
  /// check_float_range(): bodies may come to where a law, a typed one above all, is lost. Empty if nothing is. A body
  /// at rest in a pile is no loss: speeds count from a tenth of the largest typical one so far.
  std::string look(u64 step, const Bodies& bodies, const ForceField& field, double dt, Precision precision);

 private:
  double speed_ = 0;
};

}  // namespace tri
