// Independent results on the device: a block takes rows, its threads the columns.

#include "sim/cuda/kernels/pairs/collision_pair.cuh"
#include "sim/cuda/kernels/pairs/plain_kernels.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kMaxBlocks = 65536;

u32 blocks_for(u64 rows) { return static_cast<u32>(rows < kMaxBlocks ? rows : kMaxBlocks); }

/// Adds a block's counts to memory with one atomic.
__device__ void add_from_block(unsigned long long mine, unsigned long long* sum) {
  __shared__ unsigned long long total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (mine != 0) atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0 && total != 0) atomicAdd(sum, total);
}

template <class Real>
__device__ double plain_distance(const Vec4<Real>* points, u32 n, u32 vectors, u32 a, u32 b) {
  double sum = 0;
  for (u32 q = 0; q < vectors; ++q) {
    const Vec4<Real> p = points[u64{q} * n + a], o = points[u64{q} * n + b];
    const double x = double{p.x} - double{o.x}, y = double{p.y} - double{o.y};
    const double z = double{p.z} - double{o.z}, w = double{p.w} - double{o.w};
    sum += x * x + y * y + z * z + w * w;
  }
  return sqrt(sum);
}

/// Rows a of the square; the columns that the layout has there, and the index of row a.
template <class Real>
__global__ void distance_error_kernel(const Vec4<Real>* points, u32 n, u32 vectors, DistanceLayout layout,
                                      const Real* out, unsigned long long* worst) {
  double mine = 0;
  for (u64 a = blockIdx.x; a < n; a += gridDim.x) {
    const u64 from = layout == DistanceLayout::condensed ? a + 1 : 0;
    const u64 to = layout == DistanceLayout::lower ? a + 1 : n;
    // SciPy: row a of the strict upper triangle follows the n-1, n-2, ... cells of the rows above it.
    const u64 begin = layout == DistanceLayout::condensed ? a * (2 * u64{n} - a - 1) / 2
                      : layout == DistanceLayout::lower   ? a * (a + 1) / 2
                                                          : a * n;
    for (u64 b = from + threadIdx.x; b < to; b += blockDim.x) {
      const double expected = plain_distance(points, n, vectors, static_cast<u32>(a), static_cast<u32>(b));
      const double got = out[begin + (b - from)], error = fabs(got - expected);
      if (error == 0) continue;
      const double relative = expected == 0 || isnan(error) ? HUGE_VAL : error / expected;
      mine = relative > mine ? relative : mine;
    }
  }
  // Non-negative numbers order like their bits.
  if (mine != 0) atomicMax(worst, static_cast<unsigned long long>(__double_as_longlong(mine)));
}

template <u32 kDimensions, class Real>
__global__ void collision_count_kernel(const Sphere<Real>* spheres, u32 n, unsigned long long* count) {
  unsigned long long mine = 0;
  for (u64 i = blockIdx.x; i < n; i += gridDim.x) {
    for (u64 j = threadIdx.x; j < i; j += blockDim.x) mine += touches<kDimensions>(spheres[i], spheres[j]);
  }
  add_from_block(mine, count);
}

__global__ void other_than_kernel(u32 value, const u32* cells, u64 size, unsigned long long* faults) {
  unsigned long long mine = 0;
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < size; k += u64{gridDim.x} * blockDim.x) {
    mine += cells[k] != value;
  }
  add_from_block(mine, faults);
}

__global__ void automaton_faults_kernel(const u8* now, const u8* next, u32 n, u8 untouched,
                                        unsigned long long* faults) {
  const auto alive = [&](i64 i, i64 j) { return i >= 0 && i < n && j >= 0 && j <= i && now[i * n + j] != 0; };
  unsigned long long mine = 0;
  for (i64 i = blockIdx.x; i < n; i += gridDim.x) {
    for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
      u32 around = 0;
      for (i64 di = -1; di <= 1; ++di) {
        for (i64 dj = -1; dj <= 1; ++dj) around += (di != 0 || dj != 0) && alive(i + di, j + dj);
      }
      const u8 lives = around == 3 || (around == 2 && alive(i, j));
      mine += next[i * n + j] != (j <= i ? lives : untouched);
    }
  }
  add_from_block(mine, faults);
}

}  // namespace

template <class Real>
void plain_distance_error(const Vec4<Real>* points, u32 n, u32 features, DistanceLayout layout, const Real* out,
                          unsigned long long* worst, cudaStream_t stream) {
  distance_error_kernel<<<blocks_for(n), kThreads, 0, stream>>>(points, n, vectors_of(features), layout, out, worst);
  check_launch("plain distances");
}

template <class Real>
void plain_collision_count(const Sphere<Real>* spheres, u32 n, u32 dimensions, unsigned long long* count,
                           cudaStream_t stream) {
  if (dimensions == 1) {
    collision_count_kernel<1><<<blocks_for(n), kThreads, 0, stream>>>(spheres, n, count);
  } else {
    collision_count_kernel<3><<<blocks_for(n), kThreads, 0, stream>>>(spheres, n, count);
  }
  check_launch("plain collisions");
}

void plain_cells_other_than(u32 value, const u32* cells, u64 size, unsigned long long* faults, cudaStream_t stream) {
  if (size == 0) return;
  other_than_kernel<<<blocks_for(size / kThreads + 1), kThreads, 0, stream>>>(value, cells, size, faults);
  check_launch("plain count of cells");
}

void plain_automaton_faults(const u8* now, const u8* next, u32 n, u8 untouched, unsigned long long* faults,
                            cudaStream_t stream) {
  automaton_faults_kernel<<<blocks_for(n), kThreads, 0, stream>>>(now, next, n, untouched, faults);
  check_launch("plain automaton");
}

template void plain_distance_error(const Vec4<float>*, u32, u32, DistanceLayout, const float*, unsigned long long*,
                                   cudaStream_t);
template void plain_distance_error(const Vec4<double>*, u32, u32, DistanceLayout, const double*, unsigned long long*,
                                   cudaStream_t);
template void plain_collision_count(const Sphere<float>*, u32, u32, unsigned long long*, cudaStream_t);
template void plain_collision_count(const Sphere<double>*, u32, u32, unsigned long long*, cudaStream_t);

}  // namespace tri::cuda
