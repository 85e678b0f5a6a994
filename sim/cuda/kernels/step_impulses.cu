// Impulses in order: one block, thread t has pairs t, t + 1024, ... of the list. Three barriers a round: turns are
// asked for, the pairs whose turn it is are resolved, turns are taken back.

#include "sim/cuda/check.hpp"
#include "sim/cuda/kernels/step_impulses.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 1024;
// What .x of a pair says beside the index, which has 31 bits (kernel_choice.hpp).
constexpr u32 kDone = ~0u;           ///< resolved in an earlier round
constexpr u32 kResolved = 1u << 31;  ///< resolved in this round

__device__ __forceinline__ unsigned long long rank_of(const uint2& pair) {
  return static_cast<unsigned long long>(pair.x) << 32 | pair.y;
}

template <class Real>
__device__ void resolve(const StepArrays<Real>& arrays, const uint2& pair, const laws::ImpulseRule<Real>& rule) {
  const auto get = [&](u32 i) {
    const Quad<Real> place = arrays.place[i], motion = arrays.motion[i];
    return laws::Body<Real>{place.a, place.b, place.c, place.d, motion.d, motion.a, motion.b, motion.c};
  };
  const auto put = [&](u32 i, const laws::Body<Real>& b) {
    arrays.place[i] = {b.x, b.y, b.z, b.m};
    arrays.motion[i] = {b.vx, b.vy, b.vz, b.r};
  };
  laws::Body<Real> i = get(pair.x), j = get(pair.y);
  laws::resolve_pair(rule, i, j);
  put(pair.x, i);
  put(pair.y, j);
}

template <class Real>
__global__ void __launch_bounds__(kThreads) impulse_kernel(const StepArrays<Real> arrays, const OverlapList list,
                                                           const laws::ImpulseRule<Real> rule, u32 number) {
  const u32 segment = arrays.guard->base + number;
  if (__ldcg(&arrays.guard->first) >> 34 <= segment) return;
  const u64 count = *list.count;
  if (count > list.capacity) {
    if (threadIdx.x == 0) atomicMin(&arrays.guard->first, Guard::key(segment, Fault::overlaps, 0));
    return;
  }
  for (bool waiting = count > 0; waiting;) {
    for (u64 p = threadIdx.x; p < count; p += kThreads) {
      const uint2 pair = list.pairs[p];
      if (pair.x == kDone) continue;
      atomicMin(&list.turn[pair.x], rank_of(pair));
      atomicMin(&list.turn[pair.y], rank_of(pair));
    }
    __syncthreads();
    bool left = false;
    for (u64 p = threadIdx.x; p < count; p += kThreads) {
      const uint2 pair = list.pairs[p];
      if (pair.x == kDone) continue;
      // Atomics work in the second-level cache; the first may hold turns of an earlier round.
      if (__ldcg(&list.turn[pair.x]) == rank_of(pair) && __ldcg(&list.turn[pair.y]) == rank_of(pair)) {
        resolve(arrays, pair, rule);
        list.pairs[p].x = pair.x | kResolved;
      } else {
        left = true;
      }
    }
    __syncthreads();
    for (u64 p = threadIdx.x; p < count; p += kThreads) {
      const uint2 pair = list.pairs[p];
      if (pair.x == kDone) continue;
      __stcg(&list.turn[pair.x & ~kResolved], OverlapList::kNoTurn);
      __stcg(&list.turn[pair.y], OverlapList::kNoTurn);
      if ((pair.x & kResolved) != 0) list.pairs[p].x = kDone;
    }
    waiting = __syncthreads_or(left) != 0;
  }
}

}  // namespace

template <class Real>
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list,
                      const laws::ImpulseRule<Real>& rule, u32 segment) {
  impulse_kernel<<<1, kThreads, 0, stream>>>(arrays, list, rule, segment);
  check_launch("impulses");
}

template void enqueue_impulses(cudaStream_t, const StepArrays<float>&, const OverlapList&,
                               const laws::ImpulseRule<float>&, u32);
template void enqueue_impulses(cudaStream_t, const StepArrays<double>&, const OverlapList&,
                               const laws::ImpulseRule<double>&, u32);

}  // namespace tri::cuda
