// Ordered impulses: all blocks are resident, and threads loop over the list with a grid stride. One grid barrier per
// round:
//
//     round 1   request | round 2   resolve or request | round 3   resolve or request | ...
//                       ^ barrier                      ^ barrier
//
// A pair that did not win requests again at once. Its requests must not overwrite those that other pairs still read, so
// they are double-buffered. A sweep ends with a round in which nobody requests; the next one then finds no requests of
// the round before its first.

#include <cooperative_groups.h>

#include "sim/cuda/kernels/bodies/step_impulses.hpp"
#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/laws/contact_impulse.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 512;
/// Few enough blocks for a short barrier, enough to read the list quickly.
constexpr u32 kBodiesPerBlock = 4096;
/// Set in .x of a pair that an even sweep (from 0) has resolved, cleared by an odd one; body indices have 31 bits
/// (kernel_choice.hpp).
constexpr u32 kDone = 1u << 31;

/// Bypasses the L1 cache: other blocks may have written the body in the previous round.
template <class Real>
__device__ __forceinline__ Vec4<Real> load_uncached(const Vec4<Real>& at) {
  return {__ldcg(&at.x), __ldcg(&at.y), __ldcg(&at.z), __ldcg(&at.w)};
}
__device__ __forceinline__ Vec4<float> load_uncached(const Vec4<float>& at) {
  const float4 v = __ldcg(reinterpret_cast<const float4*>(&at));
  return {v.x, v.y, v.z, v.w};
}

template <class Real>
__device__ laws::Body<Real> load_body(const StepArrays<Real>& arrays, u64 k) {
  const Vec4<Real> position = load_uncached(arrays.position[k]), velocity = load_uncached(arrays.velocity[k]);
  return {position.x, position.y, position.z, position.w, velocity.w, velocity.x, velocity.y, velocity.z};
}

template <class Real>
__device__ void store_body(const StepArrays<Real>& arrays, u64 k, const laws::Body<Real>& b) {
  arrays.position[k] = {b.x, b.y, b.z, b.m};
  arrays.velocity[k] = {b.vx, b.vy, b.vz, b.r};
}

template <class Real>
__device__ bool resolve(const StepArrays<Real>& arrays, u32 i, u32 j, const laws::ImpulseRule<Real>& rule) {
  laws::Body<Real> one = load_body(arrays, i), other = load_body(arrays, j);
  const bool deep = laws::resolve_pair(rule, one, other);
  store_body(arrays, i, one);
  store_body(arrays, j, other);
  return deep;
}

/// One round of a sweep for the pairs of this thread. Returns whether one of them still waits.
template <class Real>
__device__ bool take_turns(const StepArrays<Real>& arrays, const OverlapList& list, u64 count,
                           const ImpulseTurns& turns, const laws::ImpulseRule<Real>& rule, u32 sweep, u32 round,
                           bool first, bool& deep) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned long long tag = static_cast<unsigned long long>(~round) << 32;
  unsigned long long* const requests = turns.turn + u64{round & 1} * arrays.n;
  const unsigned long long* const granted = turns.turn + u64{~round & 1} * arrays.n;
  const unsigned long long granted_tag = static_cast<unsigned long long>(~(round - 1)) << 32;
  const u32 waits = sweep % 2 == 0 ? 0 : kDone;
  bool waiting = false;
  for (u64 p = grid.thread_rank(); p < count; p += grid.num_threads()) {
    const uint2 pair = list.pairs[p];
    if ((pair.x & kDone) != waits) continue;
    const u32 i = pair.x & ~kDone, j = pair.y;
    if (!first && __ldcg(&granted[i]) == (granted_tag | j) && __ldcg(&granted[j]) == (granted_tag | i)) {
      deep |= resolve(arrays, i, j, rule);
      list.pairs[p].x = pair.x ^ kDone;
      continue;
    }
    atomicMin(&requests[i], tag | j);
    atomicMin(&requests[j], tag | i);
    waiting = true;
  }
  return waiting;
}

/// All pairs once, in order. Returns the number of the round after its last.
template <class Real>
__device__ u32 sweep_pairs(const StepArrays<Real>& arrays, const OverlapList& list, u64 count,
                           const ImpulseTurns& turns, const laws::ImpulseRule<Real>& rule, u32 sweep, u32 begin,
                           bool& deep) {
  const auto grid = cooperative_groups::this_grid();
  for (u32 round = begin;; ++round) {
    const bool waiting = take_turns(arrays, list, count, turns, rule, sweep, round, round == begin, deep);
    const bool any = __syncthreads_or(waiting) != 0;
    if (threadIdx.x == 0 && any) atomicOr(&turns.waiting[round % 3], 1u);
    // Last read two rounds ago, next written in the next round.
    if (grid.thread_rank() == 0) turns.waiting[(round + 1) % 3] = 0;
    grid.sync();
    if (__ldcg(&turns.waiting[round % 3]) == 0) return round + 1;
  }
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    impulse_kernel(const StepArrays<Real> arrays, const OverlapList list, const ImpulseTurns turns,
                   const laws::ImpulseRule<Real> rule, u32 number) {
  const auto grid = cooperative_groups::this_grid();
  const u32 segment = arrays.fault_flag->base + number;
  const u64 count = *list.count;
  const bool walls = rule.walls && rule.sweeps > 1;
  if (__ldcg(&arrays.fault_flag->first) >> 34 <= segment || (count == 0 && !walls)) return;
  const u64 thread = grid.thread_rank(), threads = grid.num_threads();
  if (count > list.capacity) {
    if (thread == 0) atomicMin(&arrays.fault_flag->first, FaultFlag::key(segment, Fault::overlaps, 0));
    return;
  }
  u32 round = *turns.round;
  if (round > ImpulseTurns::kMaxRounds) {
    for (u64 t = thread; t < 2 * u64{arrays.n}; t += threads) turns.turn[t] = ~0ull;
    if (thread < 3) turns.waiting[thread] = 0;
    if (thread == 0) *turns.deep = 0;
    round = 0;
    grid.sync();
  }
  for (u32 sweep = 0; sweep < rule.sweeps; ++sweep) {
    const laws::ImpulseRule<Real> now = rule.in_sweep(sweep);
    bool deep = false;
    round = sweep_pairs(arrays, list, count, turns, now, sweep, round, deep);
    if (rule.sweeps == 1) break;
    for (u64 i = thread; walls && i < arrays.n; i += threads) {
      laws::Body<Real> body = load_body(arrays, i);
      deep |= laws::meet_walls(now, body);
      store_body(arrays, i, body);
    }
    // A sweep's number is that of the round after its last: later sweeps, also of later calls, have larger ones.
    const bool any = __syncthreads_or(deep) != 0;
    if (threadIdx.x == 0 && any) atomicMax(turns.deep, round);
    grid.sync();
    if (__ldcg(turns.deep) != round) break;
  }
  if (thread == 0) *turns.round = round;
}

}  // namespace

template <class Real>
u32 impulse_blocks(u64 n) {
  const u64 limit = resident_workers(impulse_kernel<Real>, kThreads);
  const u64 wanted = (n + kBodiesPerBlock - 1) / kBodiesPerBlock;
  return static_cast<u32>(wanted < limit ? wanted : limit);
}

template <class Real>
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list,
                      const ImpulseTurns& turns, u32 blocks, const laws::ImpulseRule<Real>& rule, u32 segment) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  TRI_CUDA(cudaLaunchKernelEx(&config, impulse_kernel<Real>, arrays, list, turns, rule, segment));
}

template u32 impulse_blocks<float>(u64);
template u32 impulse_blocks<double>(u64);
template void enqueue_impulses(cudaStream_t, const StepArrays<float>&, const OverlapList&, const ImpulseTurns&, u32,
                               const laws::ImpulseRule<float>&, u32);
template void enqueue_impulses(cudaStream_t, const StepArrays<double>&, const OverlapList&, const ImpulseTurns&, u32,
                               const laws::ImpulseRule<double>&, u32);

}  // namespace tri::cuda
