// A block has a body, its threads the others.

#include "sim/cuda/check.hpp"
#include "sim/cuda/kernels/pair_check.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
constexpr u32 kMostBlocks = 65536;

/// The sum over the block's threads, for all of them.
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

template <class Real>
__global__ void __launch_bounds__(kThreads)
    gravity_errors_kernel(const DeviceState<Real> state, double eps2, const Quad<Real>* got, PairErrors* errors) {
  for (u64 i = blockIdx.x; i < state.n; i += gridDim.x) {
    const Quad<Real> body = state.place[i];
    double x = 0, y = 0, z = 0;
    for (u64 j = threadIdx.x; j < state.n; j += kThreads) {
      if (j == i) continue;
      const Quad<Real> other = state.place[j];
      const double dx = double{other.a} - double{body.a}, dy = double{other.b} - double{body.b};
      const double dz = double{other.c} - double{body.c}, r2 = dx * dx + dy * dy + dz * dz + eps2;
      const double s = double{other.d} / (r2 * sqrt(r2));
      x += s * dx, y += s * dy, z += s * dz;
    }
    x = block_sum(x), y = block_sum(y), z = block_sum(z);
    if (threadIdx.x != 0) continue;
    const double ex = got[i].a - x, ey = got[i].b - y, ez = got[i].c - z;
    const double e2 = ex * ex + ey * ey + ez * ez, worst = isnan(e2) ? HUGE_VAL : e2;
    atomicAdd(&errors->differences, worst);
    atomicAdd(&errors->squares, x * x + y * y + z * z);
    // Numbers that are not negative order as their bits do.
    atomicMax(reinterpret_cast<unsigned long long*>(&errors->largest),
              static_cast<unsigned long long>(__double_as_longlong(worst)));
  }
}

}  // namespace

template <class Real>
void plain_gravity_errors(const DeviceState<Real>& state, double softening, const Quad<Real>* got, PairErrors* errors,
                          cudaStream_t stream) {
  const u32 blocks = state.n < kMostBlocks ? state.n : kMostBlocks;
  gravity_errors_kernel<<<blocks, kThreads, 0, stream>>>(state, softening * softening, got, errors);
  check_launch("plain gravity");
}

template void plain_gravity_errors(const DeviceState<float>&, double, const Quad<float>*, PairErrors*, cudaStream_t);
template void plain_gravity_errors(const DeviceState<double>&, double, const Quad<double>*, PairErrors*, cudaStream_t);

}  // namespace tri::cuda
