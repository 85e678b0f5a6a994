#pragma once
/// Bodies that come as arrays of the caller's, and the forces on them as an array that goes back: kernels before and
/// after the sums of the laws.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

/// Rows of positions, with what else bodies have: [n] each or one number for all, where the array is null.
template <class Real>
struct BodyRows {
  const Real* positions;  ///< [n, 3]
  u32 n;
  const Real* masses;
  Real mass;
  const Real* radii;
  Real radius;
  const Real* velocities;  ///< [n, 3]; null: at rest
};

/// From low to high along each axis; open where `periodic` is false.
template <class Real>
struct WrapWalls {
  Real low[3], high[3];
  bool periodic;
};

/// What a look at bodies finds; floats as ordered_bits().
struct BodySurvey {
  unsigned long long odd = 0;  ///< bodies with a value that is not finite, negative where it may not be, or a mass that
                               ///< is subnormal in Real
  unsigned long long heaviest = 0;
  unsigned long long low[3] = {~0ull, ~0ull, ~0ull}, high[3] = {0, 0, 0};  ///< of the positions as they came
};

/// Has the order of the values; `value` is that of ordered_bits().
TRI_HD inline unsigned long long ordered_bits(unsigned long long bits) {
  return (bits >> 63) != 0 ? ~bits : bits | 1ull << 63;
}
TRI_HD inline unsigned long long bits_in_order(unsigned long long ordered) {
  return (ordered >> 63) != 0 ? ordered & ~(1ull << 63) : ~ordered;
}

/// Packs x, y, z, m of the rows into bodies[n], taken into the walls by whole sides, and adds to survey[1], which the
/// caller has set to BodySurvey{}.
template <class Real>
void enqueue_body_rows(cudaStream_t stream, const BodyRows<Real>& rows, const WrapWalls<Real>& walls,
                       Vec4<Real>* bodies, BodySurvey* survey);

/// Sets out[n, 3] to the forces: sums of pairs, times the mass where they are accelerations, and sums of triples,
/// either of which may be null. Adds the number of bodies with one that is not finite to odd[1].
template <class Real>
void enqueue_force_rows(cudaStream_t stream, const Vec4<Real>* bodies, u32 n, const Vec4<Real>* pairs,
                        bool accelerations, const Vec4<Real>* triples, Real* out, unsigned long long* odd);

/// Sets columns[features, n] to rows[n, features]. Adds the number of rows with a value that is not finite to odd[1].
template <class Real>
void enqueue_columns(cudaStream_t stream, const Real* rows, u32 n, u32 features, double* columns,
                     unsigned long long* odd);

}  // namespace tri::cuda
