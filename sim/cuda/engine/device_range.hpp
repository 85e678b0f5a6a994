#pragma once
/// Whether kernels can compute with the numbers of a simulation.

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Coordinates, radii and sigma up to here (1e16 in fp32, 1e148 in fp64) are far enough from the bodies that there are
/// not, which kernels put at beyond() (sim/cuda/kernels/terms.cuh), for every law to be 0 between both.
double reach(Precision precision);

/// check_float_range(), and ConfigError for what is beyond reach().
void check_device_range(const Bodies& bodies, const ForceField& field, Precision precision);

}  // namespace tri::cuda
