// Spring and dashpot over a list of overlapping pairs. Only the device knows the length of the list, so a fixed number
// of blocks loops over it with a grid stride. Bodies are read as whole vectors.
//
//     list   (i, j) (i, j) (i, j) ...          sums   i: += F,  j: -= F       by atomics, fast or exact
//
// A body has few contacts (at most 12 equal spheres touch one), so its atomics rarely collide.

#include "sim/cuda/kernels/bodies/contact_pairs.hpp"
#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/cuda/runtime/check.hpp"
#include "sim/laws/contact.hpp"

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

}  // namespace tri::cuda
