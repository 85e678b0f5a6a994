#pragma once
/// Impulses of overlapping spheres on the device, in the order that sim/laws/contact_impulse.hpp fixes.
///
/// The collision kernels produce the pairs in arbitrary order; the result must be as if they were resolved one after
/// another, sorted by (i, j). Pairs without a common body are independent, so each pair needs to wait only for the
/// earlier pairs of its two bodies. In each round every waiting pair requests both bodies; a pair that is first at both
/// is resolved. The number of rounds is the length of the longest dependency chain.
///
/// Among the pairs of one body the order (i, j), i > j, is that of the *other* body: pairs in which it is i come first,
/// by j, and in all others the other body is i. So a request is the number of the other body, with the round in the
/// upper 32 bits, later rounds smaller: new requests win over those of earlier rounds, and nothing needs to be cleared.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/bodies/contact_pairs.hpp"

namespace tri::cuda {

/// State of the requests, in device memory; initialised by the caller before the first call and not touched after.
struct ImpulseTurns {
  unsigned long long* turn;  ///< [2, n], initially all bits set
  u32* round;                ///< [1] rounds so far, initially 0
  u32* waiting;              ///< [3], initially 0
  u32* deep;                 ///< [1] the last sweep with a deep overlap, initially 0

  /// The count of rounds restarts beyond this; a single call takes fewer rounds than remain.
  static constexpr u32 kMaxRounds = 0xf0000000u;
};

/// Number of blocks of enqueue_impulses() for n bodies, all of them resident at once. Throws CudaError.
template <class Real>
u32 impulse_blocks(u64 n);

/// Resolves all pairs of the list, which is consumed, in the velocities and positions of `arrays`. With more than one
/// sweep also the walls, after each. blocks: impulse_blocks(n). A list that is too short sets Fault::overlaps of this
/// segment and changes nothing.
template <class Real>
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list,
                      const ImpulseTurns& turns, u32 blocks, const laws::ImpulseRule<Real>& rule, u32 segment);

}  // namespace tri::cuda
