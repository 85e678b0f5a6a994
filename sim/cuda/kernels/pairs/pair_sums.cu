// The final step of ordered sums, and the potential energy of all pairs (pair_energy.cuh).

#include <type_traits>

#include "sim/cuda/kernels/early_start.cuh"
#include "sim/cuda/kernels/pairs/energy_launch.cuh"
#include "sim/cuda/kernels/pairs/pair_energy.cuh"
#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/cuda/kernels/pairs/typed_pairs.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/early_launch.hpp"
#include "sim/laws/visit_law.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = kEnergyThreads;

template <class Real>
constexpr u32 kBins = ordered_bins(sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64);

template <class Real>
__global__ void __launch_bounds__(kThreads) clear_kernel(Vec4<Real>* out, u64 size) {
  await_earlier();
  const u64 at = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (at < size) out[at] = {0, 0, 0, 0};
}

/// One thread per body adds the bins in float64, always from the smallest unit up.
template <class Real>
__global__ void __launch_bounds__(kThreads) finish_kernel(const PairSums<Real> sums, u32 n, unsigned long long* left) {
  const u64 at = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= n) return;
  double sum[3] = {0, 0, 0};
  double unit = sizeof(Real) == 4 ? 0x1p-149 : 0x1p-181;
  for (u32 b = 0; b < kBins<Real>; ++b, unit *= 65536.0) {
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
      unsigned long long& bin = sums.bins[(u64{b} * 3 + axis) * n + at];
      if (bin == 0) continue;
      sum[axis] += static_cast<double>(static_cast<long long>(bin)) * unit;
      bin = 0;
    }
  }
  Vec4<Real> out{static_cast<Real>(sum[0]), static_cast<Real>(sum[1]), static_cast<Real>(sum[2]), Real(0)};
  if (sums.broken[at] != 0) {
    sums.broken[at] = 0;
    const Real nan = static_cast<Real>(__longlong_as_double(0x7ff8000000000000ll));
    out = {nan, nan, nan, Real(0)};
    atomicAdd(left, 1ull);
  }
  sums.out[at] = out;
}

__global__ void __launch_bounds__(kThreads) energy_total_kernel(const double* partial, double* result) {
  for (u32 which = 0; which < 2; ++which) {
    double mine = 0;
    for (u32 k = threadIdx.x; k < kEnergyBlocks; k += kThreads) mine += partial[which * kEnergyBlocks + k];
    const double sum = block_sum(mine);
    if (threadIdx.x == 0) result[which] = sum;
  }
}

template <class Law, class Real>
void enqueue_energy(const Law& law, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                    cudaStream_t stream) {
  launch_energy(state.n, partial, cut, stream, [&](const TriangleLambda& map, u64 first, u64 end) {
    energy_kernel<<<kEnergyBlocks, kThreads, 0, stream>>>(law, state, map, first, end, partial, cut.first, cut.step);
    check_launch("pair energy");
  });
}

}  // namespace

template <class Real>
void clear_sums(Vec4<Real>* out, std::size_t size, cudaStream_t stream) {
  if (size == 0) return;
  launch_early(clear_kernel<Real>, dim3(static_cast<u32>((size + kThreads - 1) / kThreads)), kThreads, 0, stream, out,
               u64{size});
}

template <class Real>
void finish_ordered_sums(const PairSums<Real>& sums, u32 n, unsigned long long* left, cudaStream_t stream) {
  finish_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(sums, n, left);
  check_launch("end of ordered sums");
}

template <class Real>
void enqueue_pair_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                         cudaStream_t stream) {
  if (field.pair == PairLaw::typed) return enqueue_typed_energy(field, state, partial, cut, stream);
  laws::visit_pair_law<double>(field, [&]<class Law>(const Law& law) {
    if constexpr (!std::is_same_v<Law, laws::Contact<double>>) enqueue_energy(law, state, partial, cut, stream);
  });
}

void enqueue_pair_energy_total(const double* partial, double* result, cudaStream_t stream) {
  energy_total_kernel<<<1, kThreads, 0, stream>>>(partial, result);
  check_launch("total of the pair energy");
}

template void clear_sums(Vec4<float>*, std::size_t, cudaStream_t);
template void clear_sums(Vec4<double>*, std::size_t, cudaStream_t);
template void finish_ordered_sums(const PairSums<float>&, u32, unsigned long long*, cudaStream_t);
template void finish_ordered_sums(const PairSums<double>&, u32, unsigned long long*, cudaStream_t);
template void enqueue_pair_energy(const ForceField&, const DeviceState<float>&, double*, const GridCut&, cudaStream_t);
template void enqueue_pair_energy(const ForceField&, const DeviceState<double>&, double*, const GridCut&, cudaStream_t);

}  // namespace tri::cuda
