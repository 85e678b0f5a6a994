// For toolkits that are older than nvrtc::kOldest.

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/cuda/jit/nvrtc.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"

namespace tri::cuda {

static_assert(CUDART_VERSION < nvrtc::kOldest);

Availability can_load_kernels() {
  return {false,
          fmt::format("typed laws and maps on the GPU need a build with CUDA {} or later, and this one is older; build "
                      "Triangulum with a later toolkit, or use --backend cpu",
                      nvrtc::oldest())};
}

cudaKernel_t load_kernel(const std::vector<char>&) { TRI_UNREACHABLE("can_load_kernels() says no"); }

}  // namespace tri::cuda
