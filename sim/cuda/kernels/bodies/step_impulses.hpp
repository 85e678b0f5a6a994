#pragma once
/// Impulses of overlapping spheres on the device, in the order that sim/laws/contact_impulse.hpp fixes.
///
/// The pairs come from the collision kernels in no order. Sorted by (i, j) they would be resolved one after another;
/// but two pairs without a body in common do not see each other, so the same velocities come out when each pair waits
/// only for the earlier ones of its own two bodies. In each round every waiting pair asks for a turn at both; a pair
/// that comes first at both is resolved. As many rounds as the longest chain of waiting.
///
/// Among the pairs of one body the order (i, j), i > j, is that of the *other* body: those in which it is i come first,
/// by j, and in all others the other one is i. So a turn is the number of a body, and beside it in 64 bits stands the
/// round, later ones smaller: what an earlier round has left is beaten by any that comes, and nothing is cleared.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/bodies/contact_pairs.hpp"

namespace tri::cuda {

/// What sorts out turns; device memory.
struct ImpulseTurns {
  unsigned long long* turn;  ///< [2, n] all bits set before the first call, then left alone
  u32* round;                ///< [1] rounds so far, 0 before the first call
  u32* waiting;              ///< [3] zero before the first call, then left alone

  /// From here on the count begins anew: a call takes fewer rounds than are left then.
  static constexpr u32 kMaxRounds = 0xf0000000u;
};

/// Blocks that enqueue_impulses() starts for n bodies, all of them on the device at once. Throws CudaError.
template <class Real>
u32 impulse_blocks(u64 n);

/// Resolves all pairs of the list, which is consumed, on the velocities and positions of `arrays`. blocks:
/// impulse_blocks(n). A list that is too short is Fault::overlaps of this segment, and nothing changes.
template <class Real>
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list,
                      const ImpulseTurns& turns, u32 blocks, const laws::ImpulseRule<Real>& rule, u32 segment);

}  // namespace tri::cuda
