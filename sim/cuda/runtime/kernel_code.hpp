#pragma once
/// What a build has compiled a kernel for.

#include <string>

#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_reason.hpp"

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

/// no_tensor_code() of `device`. Throws CudaError.
inline std::string no_tensor_code_on(int device, u32 needed, const std::string& what = "") {
  int major = 0, minor = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TRI_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  CudaDevice there;
  there.major = static_cast<u32>(major), there.minor = static_cast<u32>(minor);
  return no_tensor_code(there, needed, what);
}

}  // namespace tri::cuda
