// The distance between neighbours: a block a body.

#include "sim/cuda/kernels/triples/triple_spacing.cuh"

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

/// A block finds the nearest other body of body blockIdx.x, and writes the square to squares[blockIdx.x] if there is
/// such an array.
template <class Real>
__global__ void __launch_bounds__(128) spacing_kernel(const DeviceState<Real> state, Spacing* to, double* squares) {
  const Vec4<Real> own = state.position[blockIdx.x];
  double nearest = kNoNeighbour;
  for (u32 j = threadIdx.x; j < state.n; j += blockDim.x) {
    const Vec4<Real> p = state.position[j];
    const double x = double{p.x} - double{own.x}, y = double{p.y} - double{own.y}, z = double{p.z} - double{own.z};
    const double square = x * x + y * y + z * z;
    if (square > 0 && square < nearest) nearest = square;
  }
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) nearest = fmin(nearest, __shfl_xor_sync(~0u, nearest, step));
  __shared__ double of_warp[4];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = nearest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const double other : of_warp) nearest = fmin(nearest, other);
  if (squares != nullptr) squares[blockIdx.x] = nearest;
  if (!(nearest < kNoNeighbour)) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&to->exponents), static_cast<unsigned long long>(ilogb(nearest)));
  atomicAdd(&to->bodies, 1ull);
}

}  // namespace

template <class Real>
void enqueue_spacing(cudaStream_t stream, const DeviceState<Real>& state, Spacing* to, double* squares) {
  TRI_CUDA(cudaMemsetAsync(to, 0, sizeof(Spacing), stream));
  spacing_kernel<<<state.n, 128, 0, stream>>>(state, to, squares);
  check_launch("distances between neighbours");
}

template void enqueue_spacing(cudaStream_t, const DeviceState<float>&, Spacing*, double*);
template void enqueue_spacing(cudaStream_t, const DeviceState<double>&, Spacing*, double*);

}  // namespace tri::cuda
