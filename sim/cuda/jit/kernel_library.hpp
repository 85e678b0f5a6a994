#pragma once
/// Compiled code as a kernel that the runtime launches: CUDA's library management, which runtimes have from 12.8
/// on; those before refuse a kernel that the driver's loaded.

#include <cuda_runtime_api.h>

#include <vector>

#include "sim/base/error.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {

/// Not ok, with a sentence, in a build whose toolkit lacks it.
Availability can_load_kernels();

/// Loads a cubin, or PTX with its final 0, which holds one kernel, on the current device; others load it at the first
/// launch there. It is never unloaded. Waits for all captures into graphs, and keeps others waiting. Throws CudaError.
cudaKernel_t load_kernel(const std::vector<char>& code);

}  // namespace tri::cuda
