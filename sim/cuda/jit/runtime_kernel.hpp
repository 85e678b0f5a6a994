#pragma once
/// Kernels that are compiled when they are needed, from text: found in this process, else in the user's cache
/// (kernel_cache.hpp), else compiled by NVRTC (nvrtc.hpp). Any thread may call these functions; those that ask for a
/// kernel that another thread compiles wait for it.

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <vector>

#include "sim/cuda/jit/kernel_cache.hpp"
#include "sim/cuda/jit/nvrtc.hpp"

namespace tri::cuda {

/// The text of one kernel: `common`, which many share, then `own`, which instantiates it.
struct KernelText {
  std::string_view common;
  std::string own;
};

/// The code of a kernel by this compiler for this target: from the cache, else compiled and kept there. Needs no device.
/// Throws as nvrtc::compile().
std::vector<char> kernel_code(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target,
                              const KernelCache& cache);

/// A loaded kernel; a handle for all devices whose compute capability is that of the device it was made on.
struct RuntimeKernel {
  cudaKernel_t handle = nullptr;
  bool early = false;  ///< whether its code may start early (runtime/early_launch.hpp)
};

/// The only kernel of the text, for the current device. It is never unloaded. May wait for half a second, and for all
/// captures into graphs. Throws BackendError where there is no compiler, CudaError, std::logic_error (nvrtc::compile()).
RuntimeKernel runtime_kernel(const KernelText& text);

/// Whether runtime_kernel() finds a compiler, and if not, why.
Availability runtime_kernels_available();

}  // namespace tri::cuda
