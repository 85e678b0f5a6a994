#include "sim/cuda/jit/runtime_kernel.hpp"

#include <future>
#include <map>
#include <mutex>

#include "sim/cuda/jit/kernel_library.hpp"

namespace tri::cuda {
namespace {

/// Kernels of this process, and those that are being made.
struct KnownKernels {
  std::mutex lock;
  std::map<KernelKey, std::shared_future<RuntimeKernel>> kernels;
};
KnownKernels& known_kernels() {
  static KnownKernels all;
  return all;
}

int attribute_of_device(cudaDeviceAttr which, int device) {
  int value = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

int current_capability() {
  int device = 0;
  TRI_CUDA(cudaGetDevice(&device));
  return 10 * attribute_of_device(cudaDevAttrComputeCapabilityMajor, device) +
         attribute_of_device(cudaDevAttrComputeCapabilityMinor, device);
}

}  // namespace

RuntimeKernel runtime_kernel(const KernelText& text) {
  const nvrtc::Compiler& compiler = nvrtc::loaded();
  if (!compiler.found) throw BackendError(compiler.found.reason + ".");
  if (const Availability can = can_load_kernels(); !can) throw BackendError(can.reason + ".");
  const nvrtc::Target target = nvrtc::target_for(compiler, current_capability());
  const KernelKey key = key_of(text, compiler, target);
  KnownKernels& known = known_kernels();
  std::promise<RuntimeKernel> mine;
  {
    std::unique_lock hold(known.lock);
    if (const auto at = known.kernels.find(key); at != known.kernels.end()) {
      const std::shared_future<RuntimeKernel> theirs = at->second;
      hold.unlock();
      return theirs.get();
    }
    known.kernels.emplace(key, mine.get_future().share());
  }
  try {
    const RuntimeKernel kernel{load_kernel(kernel_code(text, compiler, target, KernelCache(kernel_folder()))),
                               target.capability >= 90};
    mine.set_value(kernel);
    return kernel;
  } catch (...) {
    mine.set_exception(std::current_exception());
    const std::lock_guard hold(known.lock);
    known.kernels.erase(key);
    throw;
  }
}

Availability runtime_kernels_available() {
  if (!nvrtc::loaded().found) return nvrtc::loaded().found;
  return can_load_kernels();
}

}  // namespace tri::cuda
