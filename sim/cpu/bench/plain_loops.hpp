#pragma once
/// The loops a programmer writes first: scalar float64, one thread, no tiles, no vectors, Newton's third law by i < j
/// (< k). They are the baseline of speed-ups ("plain" as a bench's map) and the answer that bench results are held to.

#include <vector>

#include "sim/model/bodies.hpp"

namespace tri::cpu {

struct PlainForces {
  std::vector<double> x, y, z;  ///< [n]
};

/// Accelerations by softened gravity, G = 1.
PlainForces plain_gravity(const Bodies& bodies, double softening);

/// Forces by Axilrod and Teller's potential, in the form with the powers of Q = abc (see laws/axilrod_teller.hpp).
PlainForces plain_axilrod_teller(const Bodies& bodies, double nu);

}  // namespace tri::cpu
