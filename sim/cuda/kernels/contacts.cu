// Contacts over a list of pairs: springs and dashpots, and impulses.
//
// Spring and dashpot over a list of overlapping pairs. Only the device knows the length of the list, so a fixed number
// of blocks loops over it with a grid stride. Bodies are read as whole vectors.
//
//     list   (i, j) (i, j) (i, j) ...          sums   i: += F,  j: -= F       by atomics, fast or exact
//
// A body has few contacts (at most 12 equal spheres touch one), so its atomics rarely collide.

#include "sim/cuda/kernels/contacts.hpp"

#include <cooperative_groups.h>

#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/laws/contact.hpp"
#include "sim/laws/contact_impulse.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
/// Enough to fill any GPU; the grid stride covers more pairs than threads.
constexpr u32 kMaxBlocks = 2048;
constexpr u32 kBins = ordered_bins(Precision::fp64);

u32 blocks_for(u64 n) { return static_cast<u32>((n + kThreads - 1) / kThreads); }
u32 blocks_of_list(const OverlapList& list) {
  const u64 blocks = (list.capacity + kThreads - 1) / kThreads;
  return static_cast<u32>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

template <class Real>
__global__ void __launch_bounds__(kThreads) spheres_kernel(const DeviceState<Real> state, Sphere<Real>* spheres) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= state.n) return;
  const Vec4<Real> position = state.position[i];
  spheres[i] = {position.x, position.y, position.z, state.velocity[i].w};
}

template <class Real, bool kOrdered>
__global__ void __launch_bounds__(kThreads)
    forces_kernel(const laws::Contact<Real> law, const DeviceState<Real> state, const OverlapList list,
                  const PairSums<Real> sums, FaultFlag* fault_flag, u32 number) {
  using Law = laws::Contact<Real>;
  const u64 count = *list.count;
  if (count > list.capacity) {
    if (fault_flag != nullptr && blockIdx.x == 0 && threadIdx.x == 0) {
      atomicMin(&fault_flag->first, FaultFlag::key(fault_flag->base + number, Fault::contacts, 0));
    }
    return;
  }
  for (u64 p = u64{blockIdx.x} * kThreads + threadIdx.x; p < count; p += u64{gridDim.x} * kThreads) {
    const uint2 pair = list.pairs[p];
    const u32 i = pair.x & ~kForeign, j = pair.y & ~kForeign;
    const auto term = law(DeviceMath<Real>{}, body_at<Law>(state, i, Real(1)), body_at<Law>(state, j, Real(1)));
    if (i == pair.x) add_sum<kOrdered>(sums, state.n, i, Sum3<Real>{term.fx, term.fy, term.fz});
    if (j == pair.y) add_sum<kOrdered>(sums, state.n, j, Sum3<Real>{-term.fx, -term.fy, -term.fz});
  }
}

__global__ void __launch_bounds__(kThreads) counts_kernel(const OverlapList list, float* counts) {
  const u64 count = *list.count < list.capacity ? *list.count : list.capacity;
  for (u64 p = u64{blockIdx.x} * kThreads + threadIdx.x; p < count; p += u64{gridDim.x} * kThreads) {
    const uint2 pair = list.pairs[p];
    atomicAdd(counts + pair.x, 1.0f);
    atomicAdd(counts + pair.y, 1.0f);
  }
}

/// Exact sums per block in shared memory, then one atomic per word. words: bins of the potential and its count of terms
/// out of range, then the same for the virial.
template <class Real>
__global__ void __launch_bounds__(kThreads)
    energy_kernel(const laws::Contact<double> law, const DeviceState<Real> state, const OverlapList list,
                  unsigned long long* words) {
  using Law = laws::Contact<Real>;
  __shared__ unsigned long long mine[kContactEnergyWords];
  for (u32 w = threadIdx.x; w < kContactEnergyWords; w += kThreads) mine[w] = 0;
  __syncthreads();
  const auto wide = [&](u32 i) {
    const laws::Body<Real> b = body_at<Law>(state, i, Real(1));
    return laws::Body<double>{double{b.x},  double{b.y},  double{b.z},  double{b.m}, double{b.r},
                              double{b.vx}, double{b.vy}, double{b.vz}, 0.0};
  };
  const auto add = [&](u32 which, double value) {
    unsigned long long* const at = mine + which * (kBins + 1);
    if (!add_exactly(at, 1, value)) atomicAdd(at + kBins, 1ull);
  };
  const u64 count = *list.count < list.capacity ? *list.count : list.capacity;
  for (u64 p = u64{blockIdx.x} * kThreads + threadIdx.x; p < count; p += u64{gridDim.x} * kThreads) {
    const uint2 pair = list.pairs[p];
    if ((pair.x & kForeign) != 0) continue;
    const laws::Body<double> a = wide(pair.x), b = wide(pair.y & ~kForeign);
    const auto term = law(DeviceMath<double>{}, a, b);
    add(0, term.potential);
    double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    laws::to_nearest(law, DeviceMath<double>{}, dx, dy, dz);
    add(1, -(dx * term.fx + dy * term.fy + dz * term.fz));
  }
  __syncthreads();
  for (u32 w = threadIdx.x; w < kContactEnergyWords; w += kThreads) {
    if (mine[w] != 0) atomicAdd(words + w, mine[w]);
  }
}

__global__ void energy_result_kernel(const unsigned long long* words, double* result) {
  if (threadIdx.x >= 2) return;
  const unsigned long long* const at = words + threadIdx.x * (kBins + 1);
  double sum = 0, unit = 0x1p-181;
  for (u32 b = 0; b < kBins; ++b, unit *= 65536.0) sum += static_cast<double>(static_cast<long long>(at[b])) * unit;
  result[threadIdx.x] = at[kBins] == 0 ? sum : __longlong_as_double(0x7ff8000000000000ll);
}

}  // namespace

template <class Real>
void enqueue_spheres(cudaStream_t stream, const DeviceState<Real>& state, Sphere<Real>* spheres) {
  spheres_kernel<<<blocks_for(state.n), kThreads, 0, stream>>>(state, spheres);
  check_launch("spheres");
}

template <class Real>
void enqueue_contact_forces(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, Accumulate accumulate, const PairSums<Real>& sums,
                            FaultFlag* fault_flag, u32 segment) {
  const laws::Contact<Real> law(field.contact, field.box);
  if (accumulate == Accumulate::ordered) {
    forces_kernel<Real, true>
        <<<blocks_of_list(list), kThreads, 0, stream>>>(law, state, list, sums, fault_flag, segment);
  } else {
    forces_kernel<Real, false>
        <<<blocks_of_list(list), kThreads, 0, stream>>>(law, state, list, sums, fault_flag, segment);
  }
  check_launch("forces of contacts");
}

void enqueue_contact_counts(cudaStream_t stream, const OverlapList& list, float* counts) {
  counts_kernel<<<blocks_of_list(list), kThreads, 0, stream>>>(list, counts);
  check_launch("counts of contacts");
}

template <class Real>
void enqueue_contact_energy(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, unsigned long long* words) {
  TRI_CUDA(cudaMemsetAsync(words, 0, kContactEnergyWords * sizeof(unsigned long long), stream));
  energy_kernel<<<blocks_of_list(list), kThreads, 0, stream>>>(laws::Contact<double>(field.contact, field.box), state,
                                                               list, words);
  check_launch("energy of contacts");
}

void enqueue_contact_energy_total(cudaStream_t stream, const unsigned long long* words, double* result) {
  energy_result_kernel<<<1, 32, 0, stream>>>(words, result);
  check_launch("sum of the energy of contacts");
}

template void enqueue_spheres(cudaStream_t, const DeviceState<float>&, Sphere<float>*);
template void enqueue_spheres(cudaStream_t, const DeviceState<double>&, Sphere<double>*);
template void enqueue_contact_forces(cudaStream_t, const ForceField&, const DeviceState<float>&, const OverlapList&,
                                     Accumulate, const PairSums<float>&, FaultFlag*, u32);
template void enqueue_contact_forces(cudaStream_t, const ForceField&, const DeviceState<double>&, const OverlapList&,
                                     Accumulate, const PairSums<double>&, FaultFlag*, u32);
template void enqueue_contact_energy(cudaStream_t, const ForceField&, const DeviceState<float>&, const OverlapList&,
                                     unsigned long long*);
template void enqueue_contact_energy(cudaStream_t, const ForceField&, const DeviceState<double>&, const OverlapList&,
                                     unsigned long long*);

// Ordered impulses: all blocks are resident, and threads loop over the list with a grid stride. One grid barrier per
// round:
//
//     round 1   request | round 2   resolve or request | round 3   resolve or request | ...
//                       ^ barrier                      ^ barrier
//
// A pair that did not win requests again at once. Its requests must not overwrite those that other pairs still read, so
// they are double-buffered. A sweep ends with a round in which nobody requests; the next one then finds no requests of
// the round before its first.

namespace {

constexpr u32 kImpulseThreads = 512;
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
__device__ bool run_turns(const StepArrays<Real>& arrays, const OverlapList& list, u64 count, const ImpulseTurns& turns,
                          const laws::ImpulseRule<Real>& rule, u32 sweep, u32 round, bool first, bool& deep) {
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
    const bool waiting = run_turns(arrays, list, count, turns, rule, sweep, round, round == begin, deep);
    const bool any = __syncthreads_or(waiting) != 0;
    if (threadIdx.x == 0 && any) atomicOr(&turns.waiting[round % 3], 1u);
    // Last read two rounds ago, next written in the next round.
    if (grid.thread_rank() == 0) turns.waiting[(round + 1) % 3] = 0;
    grid.sync();
    if (__ldcg(&turns.waiting[round % 3]) == 0) return round + 1;
  }
}

template <class Real>
__global__ void __launch_bounds__(kImpulseThreads)
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
  const u64 limit = resident_workers(impulse_kernel<Real>, kImpulseThreads);
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
  config.blockDim = dim3(kImpulseThreads);
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
