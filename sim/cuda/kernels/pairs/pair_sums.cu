// The final step of ordered sums, and the potential energy of all pairs.

#include <type_traits>

#include "sim/cuda/kernels/early_start.cuh"
#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/early_launch.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/visit_law.hpp"
#include "sim/maps/triangle_lambda.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 128;
/// Tiles per block in one launch: 1.4e8 pairs in all, 50 ms on a small device with slow float64. Like the number of
/// blocks it is the same everywhere, since the order of additions depends on it.
constexpr u32 kEnergyRounds = 8;

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

/// The block-wide sum in thread 0, always by the same tree.
__device__ double block_sum(double mine) {
  __shared__ double part[kThreads];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (u32 half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = part[0];
  __syncthreads();
  return sum;
}

/// Body i in float64, whatever the precision of the state.
template <class Law, class Real>
__device__ __forceinline__ laws::Body<double> wide_body(const DeviceState<Real>& state, u32 i) {
  const laws::Body<Real> b = body_at<Law>(state, i, Real(1));
  return {double{b.x},  double{b.y},  double{b.z},  double{b.m}, double{b.r},
          double{b.vx}, double{b.vy}, double{b.vz}, double{b.q}};
}

/// Tiles of 128 x 128 along the map lambda from `first` to `end`, block b taking first + b, first + b + gridDim.x, ...;
/// a thread has one row, and the columns are in shared memory. Adds to the block's sums. The order of additions depends
/// on n alone. Of several ranks each has every step-th block.
template <class Law, class Real>
__global__ void __launch_bounds__(kThreads)
    energy_kernel(const Law law, const DeviceState<Real> state, const TriangleLambda map, u64 first, u64 end,
                  double* partial, u32 rank, u32 step) {
  __shared__ laws::Body<double> columns[kThreads];
  if (blockIdx.x % step != rank) return;
  double potential = 0, virial = 0;
  for (u64 w = first + blockIdx.x; w < end; w += gridDim.x) {
    const Tile2 tile = map.begin({w, 0, 0, 0}).tile();
    const u32 i = tile.row * kThreads + threadIdx.x, col0 = tile.col * kThreads;
    columns[threadIdx.x] = wide_body<Law>(state, col0 + threadIdx.x);
    const laws::Body<double> row = wide_body<Law>(state, i);
    __syncthreads();
    const u32 column_count = i >= state.n ? 0 : i - col0 < kThreads ? i - col0 : kThreads;
    for (u32 c = 0; c < column_count; ++c) {
      const laws::Body<double> column = columns[c];
      const auto term = law(DeviceMath<double>{}, row, column);
      double dx = row.x - column.x, dy = row.y - column.y, dz = row.z - column.z;
      laws::to_nearest(law, DeviceMath<double>{}, dx, dy, dz);
      double dot = dx * term.fx + dy * term.fy + dz * term.fz;
      if constexpr (Law::kSums == laws::Sums::acceleration) dot *= row.m * column.m;
      potential += term.potential;
      virial += dot;
    }
    __syncthreads();
  }
  potential = block_sum(potential);
  virial = block_sum(virial);
  if (threadIdx.x == 0) partial[blockIdx.x] += potential, partial[kEnergyBlocks + blockIdx.x] += virial;
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
  const TriangleLambda map((state.n + kThreads - 1) / kThreads, Diagonal::with);
  TRI_CUDA(cudaMemsetAsync(partial, 0, 2 * kEnergyBlocks * sizeof(double), stream));
  constexpr u64 kAtOnce = u64{kEnergyRounds} * kEnergyBlocks;
  const u64 tiles = map.tile_count();
  launch_all(stream, static_cast<u32>((tiles + kAtOnce - 1) / kAtOnce), cut, [&](u32 k) {
    const u64 first = k * kAtOnce, end = tiles - first < kAtOnce ? tiles : first + kAtOnce;
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
