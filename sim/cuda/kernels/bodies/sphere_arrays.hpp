#pragma once
/// Spheres that come as arrays of the caller's, and their contacts as an array that goes back: kernels before and after
/// a search (grid_search.hpp).

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/collisions/collision.hpp"

namespace tri::cuda {

/// What a look at spheres finds; floats as the bits of a double, which have the order of their values from 0 on.
struct SphereSurvey {
  unsigned long long odd = 0;           ///< spheres with a value that is not finite, or a negative radius
  unsigned long long largest = 0;       ///< radius
  unsigned long long smallest = ~0ull;  ///< radius > 0
};

/// Rows of one to three coordinates, with a radius each or one for all.
template <class Real>
struct SphereRows {
  const Real* centres;  ///< [n, columns]
  u32 n, columns;
  const Real* radii;  ///< [n]; null: `radius` is that of all
  Real radius;
};

/// Packs the rows into spheres[n], every step-th also into sample[(n - 1) / step + 1], and adds to survey[1], which the
/// caller has set to SphereSurvey{}.
template <class Real>
void enqueue_sphere_rows(cudaStream_t stream, const SphereRows<Real>& rows, Sphere<Real>* spheres, u32 step,
                         Sphere<Real>* sample, SphereSurvey* survey);

/// Takes the centres into a periodic box from low[3] to high[3] by whole sides, with the bits of pack_spheres().
template <class Real>
void enqueue_wrapped(cudaStream_t stream, Sphere<Real>* spheres, u32 n, const Real (&low)[3], const Real (&high)[3]);

/// Bytes for sorting so many pairs. Throws CudaError.
u64 pair_sort_bytes(u64 count);

/// Writes the pairs (i, j), i > j, of n bodies to out[count, 2] as (j, i), sorted. Destroys `pairs`; spare[count], and
/// scratch as pair_sort_bytes() says. count > 0.
void enqueue_sorted_pairs(cudaStream_t stream, u32 n, uint2* pairs, u64 count, uint2* spare, void* scratch, i64* out);

/// Sets out[n] to from[n].
void enqueue_widened(cudaStream_t stream, const u32* from, u64 n, i64* out);

}  // namespace tri::cuda
