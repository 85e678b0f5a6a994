// A trivial kernel.

#include "sim/cuda/runtime/device_reason.hpp"

namespace tri::cuda {
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
