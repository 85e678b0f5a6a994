#pragma once
/// The energy and virial of a pair law over all pairs, in float64 whatever the state.

#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/laws/nearest_image.hpp"
#include "sim/maps/triangle_lambda.hpp"

namespace tri::cuda {

/// Threads of a block, and bodies on a side of its tiles.
inline constexpr u32 kEnergyThreads = 128;

/// The block-wide sum in thread 0, always by the same tree.
__device__ inline double block_sum(double mine) {
  __shared__ double part[kEnergyThreads];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (u32 half = kEnergyThreads / 2; half > 0; half /= 2) {
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
static __global__ void __launch_bounds__(kEnergyThreads)
    energy_kernel(const Law law, const DeviceState<Real> state, const TriangleLambda map, u64 first, u64 end,
                  double* partial, u32 rank, u32 step) {
  __shared__ laws::Body<double> columns[kEnergyThreads];
  if (blockIdx.x % step != rank) return;
  double potential = 0, virial = 0;
  for (u64 w = first + blockIdx.x; w < end; w += gridDim.x) {
    const Tile2 tile = map.begin({w, 0, 0, 0}).tile();
    const u32 i = tile.row * kEnergyThreads + threadIdx.x, col0 = tile.col * kEnergyThreads;
    columns[threadIdx.x] = wide_body<Law>(state, col0 + threadIdx.x);
    const laws::Body<double> row = wide_body<Law>(state, i);
    __syncthreads();
    const u32 column_count = i >= state.n ? 0 : i - col0 < kEnergyThreads ? i - col0 : kEnergyThreads;
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
  if (threadIdx.x == 0) partial[blockIdx.x] += potential, partial[gridDim.x + blockIdx.x] += virial;
}

}  // namespace tri::cuda
