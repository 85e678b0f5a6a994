#pragma once
/// A plain float64 loop over all bodies, without maps, tiles and third law: what the sums of the fast kernels are held
/// against where the host would be too slow.

#include <cuda_runtime_api.h>

#include "sim/cuda/device_state.hpp"

namespace tri::cuda {

/// Sums over bodies i of |e_i|^2 and |a_i|^2, a_i the acceleration by G = 1 and Plummer softening, computed anew, and
/// e_i what `got` [n] differs from it; and the largest |e_i|^2, infinity where something is not a number.
struct PairErrors {
  double differences = 0;
  double squares = 0;
  double largest = 0;
};

/// Adds to *errors, device memory, zeroed by the caller. Asynchronous.
template <class Real>
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Quad<Real>* got, PairErrors* errors,
                          cudaStream_t stream);

}  // namespace tri::cuda
