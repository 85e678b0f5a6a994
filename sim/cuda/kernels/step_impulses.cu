// Impulses in order: one block, thread t has pairs t, t + 1024, ... of the list. Three barriers a round: turns are
// asked for, the pairs whose turn it is are resolved, turns are taken back.

#include "sim/cuda/check.hpp"
#include "sim/cuda/kernels/step_impulses.hpp"
#include "sim/laws/contact_impulse.hpp"

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
__device__ void resolve(const StepArrays<Real>& arrays, const uint2& pair, Real restitution) {
  const Quad<Real> a = arrays.place[pair.x], b = arrays.place[pair.y];
  Quad<Real> u = arrays.motion[pair.x], v = arrays.motion[pair.y];
  const auto change = laws::resolve_contact<Real>(b.a - a.a, b.b - a.b, b.c - a.c, v.a - u.a, v.b - u.b, v.c - u.c, a.d,
                                                  b.d, restitution);
  if (!change.approaching) return;
  u.a += change.ax, u.b += change.ay, u.c += change.az;
  v.a += change.bx, v.b += change.by, v.c += change.bz;
  arrays.motion[pair.x] = u;
  arrays.motion[pair.y] = v;
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    impulse_kernel(const StepArrays<Real> arrays, const OverlapList list, Real restitution, u32 number) {
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
        resolve(arrays, pair, restitution);
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
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list, Real restitution,
                      u32 segment) {
  impulse_kernel<<<1, kThreads, 0, stream>>>(arrays, list, restitution, segment);
  check_launch("impulses");
}

template void enqueue_impulses(cudaStream_t, const StepArrays<float>&, const OverlapList&, float, u32);
template void enqueue_impulses(cudaStream_t, const StepArrays<double>&, const OverlapList&, double, u32);

}  // namespace tri::cuda
