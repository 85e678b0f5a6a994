#pragma once
/// Plain double loops over rows and columns, without maps and tiles: the reference for the kernels' results at sizes
/// where the host would be too slow. All pointers are device memory; counters are zeroed by the caller. Asynchronous.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/collision.hpp"
#include "sim/cuda/kernels/pairs/distances.hpp"

namespace tri::cuda {

/// The largest relative error in the whole output of a distance kernel, with each distance recomputed in float64 at the
/// index that the layout defines. *worst: the bits of a double (initially 0); infinity for NaN, or for a nonzero result
/// where zero is expected.
template <class Real>
void plain_distance_error(const Vec4<Real>* points, u32 n, u32 features, DistanceLayout layout, const Real* out,
                          unsigned long long* worst, cudaStream_t stream);

/// Adds the number of overlapping pairs to *count.
template <class Real>
void plain_collision_count(const Sphere<Real>* spheres, u32 n, u32 dimensions, unsigned long long* count,
                           cudaStream_t stream);

/// Adds the number of cells [size] that differ from `value` to *faults.
void plain_cells_other_than(u32 value, const u32* cells, u64 size, unsigned long long* faults, cudaStream_t stream);

/// Adds to *faults the number of cells of `next` [n, n] that differ from a step of life from `now`, and above the
/// diagonal from `untouched`.
void plain_automaton_faults(const u8* now, const u8* next, u32 n, u8 untouched, unsigned long long* faults,
                            cudaStream_t stream);

}  // namespace tri::cuda
