#pragma once
/// The distance between neighbours, by which products of triples scale lengths.

#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

/// The sum of the exponents of the square of the distance over the bodies, and their number.
struct Spacing {
  long long exponents;
  unsigned long long bodies;

  /// Of the unit of length: the power of two that is nearest to 1.3 times the distance. With that the errors are least
  /// (docs/tensor.md); half of it or twice as much makes those of float64 ten times as large.
  __device__ __forceinline__ int exponent() const {
    if (bodies == 0) return 0;
    return static_cast<int>(floor(static_cast<double>(exponents) / (2 * static_cast<double>(bodies)) + 1.125));
  }

  /// The mean distance, geometrically, in that unit.
  __device__ __forceinline__ float length() const {
    if (bodies == 0) return 1;
    return exp2f(
        static_cast<float>(static_cast<double>(exponents) / (2 * static_cast<double>(bodies)) + 0.25 - exponent()));
  }
};

/// What a body without neighbours has as the square of its distance to the nearest.
inline constexpr double kNoNeighbour = 1e308;

/// Finds it, and the square of each body's distance to the nearest other one, into squares[n] unless that is null.
template <class Real>
void enqueue_spacing(cudaStream_t stream, const DeviceState<Real>& state, Spacing* to, double* squares = nullptr);

}  // namespace tri::cuda
