#pragma once
/// What a build has compiled a kernel for.

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {

/// Whether `device`, the current one, has compute capability `major`.0 or later, and this build program code of the
/// kernel for that: code for an earlier one ends in a trap, whatever the device. Throws CudaError.
template <class Kernel>
bool has_code(Kernel* kernel, int device, int major) {
  int capability = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device));
  if (capability < major) return false;
  cudaFuncAttributes code{};
  TRI_CUDA(cudaFuncGetAttributes(&code, kernel));
  return code.ptxVersion >= 10 * major;
}

}  // namespace tri::cuda
