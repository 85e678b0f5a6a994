#pragma once
/// Sums over the bodies in float64 with compensation, as sim/model/diagnostics.cpp takes them on the host, in an order
/// that depends on n alone; and the bodies as a renderer draws them.

#include <cuda_runtime_api.h>

#include "sim/backend/instance_sink.hpp"
#include "sim/cuda/kernels/bodies/step.hpp"

namespace tri::cuda {

/// Places in the array of sums. `centre` is sum m r, not yet divided.
enum BodySum : u32 {
  kKinetic,
  kPotential,  ///< uniform field and spring walls
  kMass,
  kMomentum,     ///< x, y, z
  kAngular = 6,  ///< x, y, z
  kCentre = 9,   ///< x, y, z
  kBodySums = 12,
};

/// What a body's own energy depends on, in float64: unrounded parameters, as the host has them.
struct OneBodyField {
  double uniform[3];
  laws::WallSprings<double> walls;
};

/// Doubles of scratch memory that enqueue_body_sums() takes for n bodies.
u32 body_sum_scratch(u32 n);

/// sums: [kBodySums], device memory; scratch: [body_sum_scratch(n)].
template <class Real>
void enqueue_body_sums(cudaStream_t stream, const StepArrays<Real>& arrays, const OneBodyField& field, double* scratch,
                       double* sums);

/// instances: [n], memory that the device can write. scalar: [n] what is published instead of the mass; null: the
/// mass.
template <class Real>
void enqueue_instances(cudaStream_t stream, const StepArrays<Real>& arrays, const float* scalar, Instance* instances);

}  // namespace tri::cuda
