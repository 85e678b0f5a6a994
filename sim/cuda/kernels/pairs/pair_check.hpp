#pragma once
/// Plain float64 loops over all bodies, without maps, tiles and third law: what the sums of the fast kernels are held
/// against where the host would be too slow.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/device_state.hpp"

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
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Vec4<Real>* got, PairErrors* errors,
                          cudaStream_t stream);

/// The same for forces of Axilrod and Teller's potential, in the form with the powers of Q = abc; and adds the energy
/// of all triples to *energy. n^3/2 terms: some 0.2 s for 4,096 bodies on an H200.
template <class Real>
void plain_triple_errors(const DeviceState<Real>& state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy, cudaStream_t stream);

}  // namespace tri::cuda
