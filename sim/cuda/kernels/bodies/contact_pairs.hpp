#pragma once
/// What overlapping pairs do, from a list of them: spring and dashpot as sums over bodies, their energy, impulses. One
/// thread a pair. How the list is found stands in collision.hpp and grid_search.hpp.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

/// The list of overlaps, device memory.
struct OverlapList {
  unsigned long long* count = nullptr;  ///< [1] pairs that overlap, which may exceed the capacity
  uint2* pairs = nullptr;               ///< [capacity] (i, j), i > j, in no order
  u64 capacity = 0;
};

/// spheres[n] of the present state.
template <class Real>
void enqueue_spheres(cudaStream_t stream, const DeviceState<Real>& state, Sphere<Real>* spheres);

/// Adds the force of each pair of the list to both of its bodies' sums. ordered: exact sums (pair_exact.cuh), so that
/// neither the order of the list nor the way it was found leaves a trace. A list that is too short is Fault::contacts
/// of this segment where there is a fault flag, and nothing is added.
template <class Real>
void enqueue_contact_forces(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, Accumulate accumulate, const PairSums<Real>& sums,
                            FaultFlag* fault_flag, u32 segment);

/// Adds 1 to counts[i] and counts[j] for each pair of the list; exact below 2^24 contacts a body.
void enqueue_contact_counts(cudaStream_t stream, const OverlapList& list, float* counts);

/// Unsigned 64-bit words that the energy's exact sums take.
inline constexpr u32 kContactEnergyWords = 2 * (ordered_bins(Precision::fp64) + 1);

/// result[0] becomes the potential energy of the pairs of the list, result[1] their virial: positions as they are
/// rounded to Real, all arithmetic in float64, added exactly, so in no order. words: [kContactEnergyWords] of scratch.
template <class Real>
void enqueue_contact_energy(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, unsigned long long* words, double* result);

}  // namespace tri::cuda
