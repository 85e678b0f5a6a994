// Kernels that the driver loads from compiled code.

#include "sim/cuda/jit/runtime_kernel.hpp"

#include <mutex>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/cuda/jit/nvrtc.hpp"
#include "sim/cuda/runtime/launches.hpp"

namespace tri::cuda {

#define TRI_OLDEST_TOOLKIT 12080  // its library management loads kernels that were compiled at run time
static_assert(TRI_OLDEST_TOOLKIT == nvrtc::kOldest);

#if CUDART_VERSION >= TRI_OLDEST_TOOLKIT

Availability can_load_kernels() { return {true, ""}; }

cudaKernel_t load_kernel(const std::vector<char>& code) {
  const std::unique_lock alone(capture_mutex());
  cudaLibrary_t library = nullptr;
  TRI_CUDA(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  TRI_CUDA(cudaLibraryGetKernelCount(&count, library));
  TRI_EXPECTS(count == 1);
  cudaKernel_t kernel = nullptr;
  TRI_CUDA(cudaLibraryEnumerateKernels(&kernel, 1, library));
  // Loads it now: the driver would otherwise do so at the first launch, which may be in a capture.
  cudaFuncAttributes attributes{};
  TRI_CUDA(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
  return kernel;
}

#else

Availability can_load_kernels() {
  return {false,
          fmt::format("typed laws and maps on the GPU need a build with CUDA {} or later, and this one is older; build "
                      "Triangulum with a later toolkit, or use --backend cpu",
                      nvrtc::oldest())};
}

cudaKernel_t load_kernel(const std::vector<char>&) { TRI_UNREACHABLE("can_load_kernels() says no"); }

#endif

}  // namespace tri::cuda
