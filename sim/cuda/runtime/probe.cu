// The smallest kernel there is.

#include "sim/cuda/runtime/probe.hpp"

namespace tri::cuda {
namespace {

constexpr int kAnswer = 20140901;

__global__ void probe_kernel(int* answer) { *answer = kAnswer; }

}  // namespace

cudaError_t run_probe() {
  int* answer = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&answer), sizeof(int));
  if (status != cudaSuccess) return status;
  int got = 0;
  probe_kernel<<<1, 1>>>(answer);
  status = cudaGetLastError();
  if (status == cudaSuccess) status = cudaMemcpy(&got, answer, sizeof got, cudaMemcpyDeviceToHost);
  const cudaError_t freed = cudaFree(answer);
  if (status == cudaSuccess) status = freed;
  return status != cudaSuccess || got == kAnswer ? status : cudaErrorUnknown;
}

}  // namespace tri::cuda
