#pragma once
/// Compensated float64 sums over the bodies, as in sim/model/diagnostics.cpp on the host, in an order that depends on n
/// only; and instances of the bodies for a renderer.

#include <cuda_runtime_api.h>

#include "sim/backend/instance_sink.hpp"
#include "sim/cuda/kernels/bodies/step.hpp"

namespace tri::cuda {

/// Indices into the array of sums. The centre is sum m r, not divided by the mass.
enum BodySum : u32 {
  kKinetic,
  kPotential,  ///< uniform field and spring walls
  kMass,
  kMomentum,     ///< x, y, z
  kAngular = 6,  ///< x, y, z
  kCentre = 9,   ///< x, y, z
  kBodySums = 12,
};

/// Parameters of single-body energies, in float64, unrounded like on the host.
struct OneBodyField {
  double uniform[3];
  laws::WallSprings<double> walls;
};

/// Scratch memory of enqueue_body_sums() for n bodies, in doubles.
u32 body_sum_scratch(u32 n);

/// sums: [kBodySums], device memory; scratch: [body_sum_scratch(n)].
template <class Real>
void enqueue_body_sums(cudaStream_t stream, const StepArrays<Real>& arrays, const OneBodyField& field, double* scratch,
                       double* sums);

/// instances: [n], device-writable memory. scalar: [n] published instead of the mass; null: the mass.
template <class Real>
void enqueue_instances(cudaStream_t stream, const StepArrays<Real>& arrays, const float* scalar, Instance* instances);

}  // namespace tri::cuda
