// Kernels that results and rates are compared with: plain loops, peak rates, the probe of a device.
//
// Independent results on the device: a block takes rows or bodies, its threads the columns or the other bodies.

#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/collisions.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/maps/triangle_blocks.hpp"

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
    const bool blocks = layout == DistanceLayout::blocks;
    const u64 end = blocks ? (a / kDistanceBlock + 1) * kDistanceBlock : n;
    const u64 to = layout == DistanceLayout::lower ? a + 1 : min(end, u64{n});
    // SciPy: row a of the strict upper triangle follows the n-1, n-2, ... cells of the rows above it.
    const u64 begin = layout == DistanceLayout::condensed ? a * (2 * u64{n} - a - 1) / 2
                      : layout == DistanceLayout::lower   ? a * (a + 1) / 2
                                                          : a * n;
    for (u64 b = from + threadIdx.x; b < to; b += blockDim.x) {
      const double expected = plain_distance(points, n, vectors, static_cast<u32>(a), static_cast<u32>(b));
      const u64 at =
          blocks ? blocks_index(static_cast<u32>(a), static_cast<u32>(b), kDistanceBlock) : begin + (b - from);
      const double got = out[at], error = fabs(got - expected);
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

/// The block-wide sum, for all threads.
__device__ double block_sum(double mine) {
  __shared__ double part[kThreads];
  __syncthreads();
  part[threadIdx.x] = mine;
  __syncthreads();
  for (u32 half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  return part[0];
}

/// Compares a body's result with the expected one.
template <class Real>
__device__ void add_error(const Vec4<Real>& got, double x, double y, double z, PairErrors* errors) {
  const double ex = got.x - x, ey = got.y - y, ez = got.z - z;
  const double e2 = ex * ex + ey * ey + ez * ez, worst = isnan(e2) ? HUGE_VAL : e2;
  atomicAdd(&errors->differences, worst);
  atomicAdd(&errors->squares, x * x + y * y + z * z);
  // Non-negative numbers order like their bits.
  atomicMax(reinterpret_cast<unsigned long long*>(&errors->largest),
            static_cast<unsigned long long>(__double_as_longlong(worst)));
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    gravity_errors_kernel(const DeviceState<Real> state, double eps2, const Vec4<Real>* got, PairErrors* errors) {
  for (u64 i = blockIdx.x; i < state.n; i += gridDim.x) {
    const Vec4<Real> body = state.position[i];
    double x = 0, y = 0, z = 0;
    for (u64 j = threadIdx.x; j < state.n; j += kThreads) {
      if (j == i) continue;
      const Vec4<Real> other = state.position[j];
      const double dx = double{other.x} - double{body.x}, dy = double{other.y} - double{body.y};
      const double dz = double{other.z} - double{body.z}, r2 = dx * dx + dy * dy + dz * dz + eps2;
      const double s = double{other.w} / (r2 * sqrt(r2));
      x += s * dx, y += s * dy, z += s * dz;
    }
    x = block_sum(x), y = block_sum(y), z = block_sum(z);
    if (threadIdx.x == 0) add_error(got[i], x, y, z, errors);
  }
}

/// E and 2 dE/da, 2 dE/dc of a triple with squared sides a = ij, b = jk, c = ki, nu = 1.
struct TripleSlopes {
  double energy, ij, ki;
};
__device__ __forceinline__ TripleSlopes slopes_of(double a, double b, double c) {
  const double u = a + b - c, v = b + c - a, w = c + a - b, p = u * v * w, q = a * b * c;
  const double q1 = 1 / q, q3 = q1 * sqrt(q1), q5 = q3 * q1, q7 = q5 * q1;
  const auto slope = [&](double around, double others) {
    return -3 * q5 * others + 0.75 * (around * q5 - 2.5 * p * q7 * others);
  };
  return {q3 + 0.375 * p * q5, slope(v * w - u * w + u * v, b * c), slope(u * w + u * v - v * w, a * b)};
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    triple_errors_kernel(const DeviceState<Real> state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy) {
  for (u64 i = blockIdx.x; i < state.n; i += gridDim.x) {
    const Vec4<Real> body = state.position[i];
    double x = 0, y = 0, z = 0, e = 0;
    for (u64 j = threadIdx.x; j < state.n; j += kThreads) {
      if (j == i) continue;
      const Vec4<Real> pj = state.position[j];
      const double jx = double{pj.x} - double{body.x}, jy = double{pj.y} - double{body.y};
      const double jz = double{pj.z} - double{body.z}, a = jx * jx + jy * jy + jz * jz;
      for (u64 k = j + 1; k < state.n; ++k) {
        if (k == i) continue;
        const Vec4<Real> pk = state.position[k];
        const double kx = double{pk.x} - double{body.x}, ky = double{pk.y} - double{body.y};
        const double kz = double{pk.z} - double{body.z}, c = kx * kx + ky * ky + kz * kz;
        const double bx = kx - jx, by = ky - jy, bz = kz - jz;
        const TripleSlopes s = slopes_of(a, bx * bx + by * by + bz * bz, c);
        x += s.ij * jx + s.ki * kx, y += s.ij * jy + s.ki * ky, z += s.ij * jz + s.ki * kz;
        if (i < j) e += s.energy;
      }
    }
    x = block_sum(x), y = block_sum(y), z = block_sum(z), e = block_sum(e);
    if (threadIdx.x == 0) {
      add_error(got[i], nu * x, nu * y, nu * z, errors);
      atomicAdd(energy, nu * e);
    }
  }
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

template <class Real>
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Vec4<Real>* got, PairErrors* errors,
                          cudaStream_t stream) {
  gravity_errors_kernel<<<blocks_for(state.n), kThreads, 0, stream>>>(state, softening * softening, got, errors);
  check_launch("plain gravity");
}

template <class Real>
void plain_triple_errors(const DeviceState<Real>& state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy, cudaStream_t stream) {
  triple_errors_kernel<<<blocks_for(state.n), kThreads, 0, stream>>>(state, nu, got, errors, energy);
  check_launch("plain triples");
}

template void plain_distance_error(const Vec4<float>*, u32, u32, DistanceLayout, const float*, unsigned long long*,
                                   cudaStream_t);
template void plain_distance_error(const Vec4<double>*, u32, u32, DistanceLayout, const double*, unsigned long long*,
                                   cudaStream_t);
template void plain_collision_count(const Sphere<float>*, u32, u32, unsigned long long*, cudaStream_t);
template void plain_collision_count(const Sphere<double>*, u32, u32, unsigned long long*, cudaStream_t);
template void plain_triple_errors(const DeviceState<float>&, double, const Vec4<float>*, PairErrors*, double*,
                                  cudaStream_t);
template void plain_triple_errors(const DeviceState<double>&, double, const Vec4<double>*, PairErrors*, double*,
                                  cudaStream_t);
template void plain_gravity_errors(const DeviceState<float>&, double, const Vec4<float>*, PairErrors*, cudaStream_t);
template void plain_gravity_errors(const DeviceState<double>&, double, const Vec4<double>*, PairErrors*, cudaStream_t);

// Peak rates: blocks that do nothing, and multiply-adds in registers.

namespace {

__global__ void empty_kernel() {}

/// Each chain is x = x * a + b with the fixed point a + b = 1, which it never leaves; eight hide the latency of four
/// cycles twice over.
__global__ void __launch_bounds__(kPeakThreads) multiply_add_kernel(u32 turns, float a, float b, float* sums) {
  float x[kPeakChains];
#pragma unroll
  for (u32 c = 0; c < kPeakChains; ++c) x[c] = a + b;
  for (u32 turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (u32 step = 0; step < 4; ++step) {
#pragma unroll
      for (u32 c = 0; c < kPeakChains; ++c) x[c] = fmaf(x[c], a, b);
    }
  }
  float sum = 0;
#pragma unroll
  for (u32 c = 0; c < kPeakChains; ++c) sum += x[c];
  sums[blockIdx.x * kPeakThreads + threadIdx.x] = sum;
}

}  // namespace

PreparedLaunch prepare_empty(u32 blocks) {
  const auto launch = [=](cudaStream_t stream, u32) {
    empty_kernel<<<blocks, kPeakThreads, 0, stream>>>();
    check_launch("empty");
  };
  return {launch, blocks, blocks, 1};
}

PreparedLaunch prepare_multiply_adds(u32 blocks, u32 turns, float* sums) {
  const auto launch = [=](cudaStream_t stream, u32) {
    multiply_add_kernel<<<blocks, kPeakThreads, 0, stream>>>(turns, 0.75f, 0.25f, sums);
    check_launch("multiply-adds");
  };
  return {launch, blocks, blocks, 1};
}

// A trivial kernel.

namespace {

constexpr int kExpected = 20140901;

__global__ void probe_kernel(int* result) { *result = kExpected; }

}  // namespace

cudaError_t run_probe() {
  int* result = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&result), sizeof(int));
  if (status != cudaSuccess) return status;
  int got = 0;
  probe_kernel<<<1, 1>>>(result);
  status = cudaGetLastError();
  if (status == cudaSuccess) status = cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost);
  const cudaError_t freed = cudaFree(result);
  if (status == cudaSuccess) status = freed;
  return status != cudaSuccess || got == kExpected ? status : cudaErrorUnknown;
}

}  // namespace tri::cuda
