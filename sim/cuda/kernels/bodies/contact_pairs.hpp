#pragma once
/// Kernels over a list of overlapping pairs, one thread per pair: forces of springs and dashpots, contact counts,
/// energy. collision.hpp and grid_search.hpp build the list.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

/// The list of overlaps in device memory. Where ranks share a search, it has the pairs of this rank's bodies, and
/// bodies of other ranks have the mark kForeign: nothing is added to their sums here.
struct OverlapList {
  unsigned long long* count = nullptr;  ///< [1] pairs that overlap, which may exceed the capacity
  uint2* pairs = nullptr;               ///< [capacity] (i, j), i > j, in no order
  u64 capacity = 0;
};

/// Fills spheres[n] from the current state.
template <class Real>
void enqueue_spheres(cudaStream_t stream, const DeviceState<Real>& state, Sphere<Real>* spheres);

/// Adds the force of each pair of the list to the sums of both bodies. ordered: exact sums (pair_exact.cuh),
/// independent of the order of the list. A list that is too short sets Fault::contacts of this segment if there is a
/// fault flag, and adds nothing.
template <class Real>
void enqueue_contact_forces(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, Accumulate accumulate, const PairSums<Real>& sums,
                            FaultFlag* fault_flag, u32 segment);

/// Adds 1 to counts[i] and counts[j] for each pair of the list; exact below 2^24 contacts per body.
void enqueue_contact_counts(cudaStream_t stream, const OverlapList& list, float* counts);

/// 64-bit words of the exact sums of the energy.
inline constexpr u32 kContactEnergyWords = 2 * (ordered_bins(Precision::fp64) + 1);

/// Sets words[kContactEnergyWords] to the potential energy and the virial of the pairs of the list: positions rounded
/// to Real, arithmetic in float64, exact sums independent of order. Of a pair of two ranks one counts it, so that the
/// words of all ranks may be added up.
template <class Real>
void enqueue_contact_energy(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, unsigned long long* words);
/// Writes the energy to result[0] and the virial to result[1].
void enqueue_contact_energy_total(cudaStream_t stream, const unsigned long long* words, double* result);

}  // namespace tri::cuda
