#pragma once
/// Launches whose blocks may start before the kernel ahead of them on the stream has ended (programmatic dependent
/// launch, compute capability 9.0 or later; CUDA Programming Guide): from the end of a kernel to the start of the next
/// it is a microsecond, which is a tenth of a step of 4,096 bodies.

#include <cuda_runtime_api.h>

#include "sim/base/platform.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {

/// Launches a kernel whose threads all call await_earlier() (early_start.cuh) before they touch memory. As any launch
/// on a stream where device or code is older. May be captured. Throws CudaError.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, u32 threads, std::size_t shared, cudaStream_t stream,
                  const Arguments&... arguments) {
  cudaFuncAttributes code{};
  TRI_CUDA(cudaFuncGetAttributes(&code, kernel));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = dim3(threads), config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = &early, config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
  TRI_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// The same for a kernel that was compiled at run time, and which may start early if its code is for compute
/// capability 9.0 or later; arguments are addresses of what its parameters become.
inline void launch_early(cudaKernel_t kernel, bool early, dim3 grid, dim3 threads, std::size_t shared,
                         cudaStream_t stream, void** arguments) {
  cudaLaunchAttribute may{};
  may.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  may.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = threads, config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = &may, config.numAttrs = early ? 1 : 0;
  TRI_CUDA(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments));
}

}  // namespace tri::cuda
