#pragma once
/// Kernels that are compiled at run time: made once, loaded, launched.
///
/// Compiled code as a kernel that the runtime launches: CUDA's library management, which runtimes have from 12.8
/// on; those before refuse a kernel that the driver's loaded.

#include <vector>

#include <cuda_runtime_api.h>

#include "sim/base/error.hpp"
#include "sim/cuda/jit/nvrtc.hpp"
#include "sim/cuda/runtime/device.hpp"

namespace tri::cuda {

/// Not ok, with a sentence, in a build whose toolkit lacks it.
Availability can_load_kernels();

/// Loads a cubin, or PTX with its final 0, which holds one kernel, on the current device; others load it at the first
/// launch there. It is never unloaded. Waits for all captures into graphs, and keeps others waiting. Throws CudaError.
cudaKernel_t load_kernel(const std::vector<char>& code);

// Kernels that are compiled when they are needed, from text: found in this process, else in the user's cache
// (nvrtc.hpp), else compiled by NVRTC (nvrtc.hpp), in a thread of its own. Any thread may call these functions;
// those that ask for a kernel that is being made wait for it.

/// A loaded kernel; a handle for all devices whose compute capability is that of the device it was made on.
struct RuntimeKernel {
  cudaKernel_t handle = nullptr;
  bool early = false;  ///< whether its code may start early (launches.hpp)
};

/// The only kernel of the text, for the current device. It is never unloaded. May wait for half a second, and for all
/// captures into graphs. Throws BackendError where there is no compiler, CudaError, std::logic_error
/// (nvrtc::compile()).
RuntimeKernel runtime_kernel(const KernelText& text);

/// Begins to make the kernel of a text that runtime_kernel() will be asked for, in a thread of its own, and returns.
/// What fails there fails in runtime_kernel(). Throws BackendError where there is no compiler.
void expect_kernel(const KernelText& text);

/// Begins to load the compiler with all its parts, in a thread of its own and once in a process: a tenth of a second,
/// in which the caller may prepare a device. Reports nothing.
void load_compiler();

/// Waits for what expect_kernel() and load_compiler() began. A process must call it before it exits: NVRTC has statics
/// of its own, which exit() destroys under a thread that still compiles. A forked process waits for nothing.
void finish_kernels() noexcept;

/// Whether runtime_kernel() finds a compiler, and if not, why.
Availability runtime_kernels_available();

}  // namespace tri::cuda
