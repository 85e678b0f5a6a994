#pragma once
/// Impulses of overlapping spheres on the device, in the order that sim/laws/contact_impulse.hpp fixes.
///
/// The pairs come from the collision kernels in no order. Sorted by (i, j) they would be resolved one after another;
/// but two pairs without a body in common do not see each other, so the same velocities come out when each pair waits
/// only for the earlier ones of its own two bodies. In each round every waiting pair asks for a turn at both; a pair
/// that comes first at both is resolved. As many rounds as the longest chain of waiting, one block of 1024 threads.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/step.hpp"

namespace tri::cuda {

/// The list of overlaps and what sorts out turns; device memory.
struct OverlapList {
  unsigned long long* count;  ///< [1] pairs that overlap, which may exceed the capacity
  uint2* pairs;               ///< [capacity] (i, j), i > j, in no order; consumed
  u64 capacity;
  unsigned long long* turn;  ///< [n] kNoTurn before and after
  static constexpr unsigned long long kNoTurn = ~0ull;
};

/// Resolves all pairs of the list on the velocities and positions of `arrays` (not on its spheres). A list that is too
/// short is a Fault of this segment, and nothing changes.
template <class Real>
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list,
                      const laws::ImpulseRule<Real>& rule, u32 segment);

}  // namespace tri::cuda
