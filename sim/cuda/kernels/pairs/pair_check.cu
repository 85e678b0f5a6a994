// One block per body i; its threads loop over the others.

#include "sim/cuda/kernels/pairs/pair_check.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kMaxBlocks = 65536;

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
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Vec4<Real>* got, PairErrors* errors,
                          cudaStream_t stream) {
  const u32 blocks = state.n < kMaxBlocks ? state.n : kMaxBlocks;
  gravity_errors_kernel<<<blocks, kThreads, 0, stream>>>(state, softening * softening, got, errors);
  check_launch("plain gravity");
}

template <class Real>
void plain_triple_errors(const DeviceState<Real>& state, double nu, const Vec4<Real>* got, PairErrors* errors,
                         double* energy, cudaStream_t stream) {
  const u32 blocks = state.n < kMaxBlocks ? state.n : kMaxBlocks;
  triple_errors_kernel<<<blocks, kThreads, 0, stream>>>(state, nu, got, errors, energy);
  check_launch("plain triples");
}

template void plain_triple_errors(const DeviceState<float>&, double, const Vec4<float>*, PairErrors*, double*,
                                  cudaStream_t);
template void plain_triple_errors(const DeviceState<double>&, double, const Vec4<double>*, PairErrors*, double*,
                                  cudaStream_t);
template void plain_gravity_errors(const DeviceState<float>&, double, const Vec4<float>*, PairErrors*, cudaStream_t);
template void plain_gravity_errors(const DeviceState<double>&, double, const Vec4<double>*, PairErrors*, cudaStream_t);

}  // namespace tri::cuda
