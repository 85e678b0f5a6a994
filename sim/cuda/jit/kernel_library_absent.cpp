// For toolkits before 12.8.

#include "sim/base/contracts.hpp"
#include "sim/cuda/jit/kernel_library.hpp"

namespace tri::cuda {

Availability can_load_kernels() {
  return {false,
          "typed laws on the GPU need a build with CUDA 12.8 or later, and this one is older; build Triangulum with a "
          "later toolkit, or use --backend cpu"};
}

cudaKernel_t load_kernel(const std::vector<char>&) { TRI_UNREACHABLE("can_load_kernels() says no"); }

}  // namespace tri::cuda
