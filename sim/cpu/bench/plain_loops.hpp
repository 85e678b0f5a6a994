#pragma once
/// The loops a programmer writes first: scalar float64, one thread, no tiles, no vectors, Newton's third law by i < j
/// (< k). They are the baseline of speed-ups (Baseline::plain) and the reference of bench results.

#include <vector>

#include "sim/model/bodies.hpp"

namespace tri::cpu {

struct PlainForces {
  std::vector<double> x, y, z;  ///< [n]
};

/// Accelerations by softened gravity, G = 1.
PlainForces plain_gravity(const Bodies& bodies, double softening);

/// Forces by Axilrod and Teller's potential, in the form with powers of Q = abc (see laws/axilrod_teller.hpp).
PlainForces plain_axilrod_teller(const Bodies& bodies, double nu);

}  // namespace tri::cpu
