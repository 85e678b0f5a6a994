#pragma once
/// Plain float64 loops over all bodies, without maps, tiles or Newton's third law: the reference for the fast kernels'
/// sums at sizes where the host would be too slow.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

/// Sums over bodies i of |e_i|^2 and |a_i|^2, where a_i is the acceleration for G = 1 with Plummer softening,
/// recomputed, and e_i the error of `got` [n]; and the largest |e_i|^2, infinity for a result that is not finite.
struct PairErrors {
  double differences = 0;
  double squares = 0;
  double largest = 0;
};

/// Adds to *errors, device memory, zeroed by the caller. Asynchronous.
template <class Real>
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Vec4<Real>* got, PairErrors* errors,
                          cudaStream_t stream);

/// The same for forces of the Axilrod-Teller potential, in the form with the powers of Q = abc; also adds the energy of
/// all triples to *energy. n^3/2 terms: some 0.2 s for 4,096 bodies on an H200.
template <class Real>
void plain_triple_errors(const DeviceState<Real>& state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy, cudaStream_t stream);

}  // namespace tri::cuda
