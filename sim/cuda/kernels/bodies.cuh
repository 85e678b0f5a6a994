#pragma once
/// What kernels over bodies share: the fault flag, walls, lists of a grid, their box.

#include "sim/base/numbers.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/laws/wall.hpp"

namespace tri::cuda {

/// The number of this segment and a copy of the fault flag. Bypasses the L1 cache, which does not see other blocks'
/// writes.
struct FaultState {
  u32 segment;
  unsigned long long first;
  __device__ __forceinline__ FaultState(const FaultFlag* fault_flag, u32 number)
      : segment(fault_flag->base + number), first(__ldcg(&fault_flag->first)) {}
  /// Whether an earlier segment has a fault, or this one has no forces.
  __device__ __forceinline__ bool stopped() const {
    return first >> 34 < segment || (here() && fault() == Fault::contacts);
  }
  /// Whether this segment has a fault.
  __device__ __forceinline__ bool here() const { return first >> 34 == segment; }
  __device__ __forceinline__ Fault fault() const { return static_cast<Fault>(first >> 32 & 3u); }
};

// laws::wrap() in a kernel with the bits of the host, where products are not fused with sums.

template <class Real>
__device__ inline void wrap_unfused(Real& x, Real low, Real high) {
  const Real length = high - low;
  if (x >= low - length && x < high + length) {
    laws::wrap(x, low, high);  // without a product
    return;
  }
  const Real sides = floor((x - low) / length);
  if constexpr (sizeof(Real) == sizeof(float)) {
    x -= __fmul_rn(length, sides);
  } else {
    x -= __dmul_rn(length, sides);
  }
  if (x >= high || x < low) x = low;
}

// Device functions for lists of bodies and of cells, shared by the search in a grid and by the domains of ranks.

/// A place at the end of a list whose length is at `count`: one atomic for all active lanes of the warp. The block has
/// one dimension.
template <class Count>
__device__ __forceinline__ Count next_place(Count* count) {
  const u32 here = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(here)) - 1;
  Count base = 0;
  if (static_cast<int>(lane) == leader) base = atomicAdd(count, static_cast<Count>(__popc(here)));
  return __shfl_sync(here, base, leader) + static_cast<u32>(__popc(here & ((1u << lane) - 1)));
}

/// The first cell of part `of` when n bodies, sorted by cell, are divided into `parts` of equal numbers: the first cell
/// that begins at n of / parts or later; `cells` for the end of the last part. begin: [cells + 1].
__device__ __forceinline__ u32 first_cell_of_part(const u32* begin, u32 cells, u32 n, u32 of, u32 parts) {
  const u64 target = u64{n} * of / parts;
  u32 low = of < parts ? 0 : cells, high = cells;
  while (low < high) {
    const u32 middle = low + (high - low) / 2;
    if (begin[middle] < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return high;
}

// The box of bodies.

inline constexpr u32 kBoxThreads = 128;

/// A number as an integer in the same order: one of 32 bits as float32, of 64 as float64.
template <class Key, class Real>
__device__ __forceinline__ Key ordered(Real x) {
  if constexpr (sizeof(Key) == sizeof(u64)) {
    return ordered_bits(static_cast<Key>(__double_as_longlong(x)));
  } else {
    const u32 bits = __float_as_uint(x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
  }
}
__device__ __forceinline__ float from_ordered(u32 x) { return __uint_as_float(x >> 31 ? x & 0x7fffffffu : ~x); }
__device__ __forceinline__ double from_ordered(unsigned long long x) {
  return __longlong_as_double(static_cast<long long>(bits_in_order(x)));
}

/// box: the least x, y, z, which begin as all ones, and the largest, which begin as 0. Numbers that are not finite do
/// not count.
template <class Key, class Real>
__global__ void __launch_bounds__(kBoxThreads) box_kernel(const DeviceState<Real> state, Key* box) {
  Key low[3] = {~Key{0}, ~Key{0}, ~Key{0}}, high[3] = {0, 0, 0};
  for (u32 i = blockIdx.x * kBoxThreads + threadIdx.x; i < state.n; i += gridDim.x * kBoxThreads) {
    const Vec4<Real> p = state.position[i];
    const Real at[3] = {p.x, p.y, p.z};
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
      if (!isfinite(at[k])) continue;
      low[k] = min(low[k], ordered<Key>(at[k])), high[k] = max(high[k], ordered<Key>(at[k]));
    }
  }
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    for (u32 step = 16; step > 0; step /= 2) {
      low[k] = min(low[k], __shfl_xor_sync(~0u, low[k], step));
      high[k] = max(high[k], __shfl_xor_sync(~0u, high[k], step));
    }
    if (threadIdx.x % 32 == 0) atomicMin(box + k, low[k]), atomicMax(box + 3 + k, high[k]);
  }
}

// The distance between neighbours, by which products of triples scale lengths.

/// The sum of the exponents of the square of the distance over the bodies, and their number.
struct Spacing {
  long long exponents;
  unsigned long long bodies;

  /// Of the unit of length: the power of two that is nearest to 1.3 times the distance. With that the errors are least
  /// (docs/notes/tensor.md); half of it or twice as much makes those of float64 ten times as large.
  __device__ __forceinline__ int exponent() const {
    if (bodies == 0) return 0;
    return static_cast<int>(floor(static_cast<double>(exponents) / (2 * static_cast<double>(bodies)) + 1.125));
  }

  /// The mean distance, geometrically, in that unit.
  __device__ __forceinline__ float length() const {
    if (bodies == 0) return 1;
    return exp2f(
        static_cast<float>(static_cast<double>(exponents) / (2 * static_cast<double>(bodies)) + 0.25 - exponent()));
  }
};

/// What a body without neighbours has as the square of its distance to the nearest.
inline constexpr double kNoNeighbour = 1e308;

/// Finds it, and the square of each body's distance to the nearest other one, into squares[n] unless that is null.
template <class Real>
void enqueue_spacing(cudaStream_t stream, const DeviceState<Real>& state, Spacing* to, double* squares = nullptr);

}  // namespace tri::cuda
