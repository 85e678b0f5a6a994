// The driver knows the current context of a thread, whichever runtime made it. Its library is opened by name, as the
// runtime does, since the program starts where there is none.

#include "sim/cuda/runtime/device_scope.hpp"

#include <dlfcn.h>

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

/// cuCtxGetCurrent() and cuCtxSetCurrent(); null where there is no driver.
struct CurrentContext {
  int (*get)(void** context) = nullptr;
  int (*set)(void* context) = nullptr;
};

CurrentContext load_current_context() {
  CurrentContext found;
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
  if (library == nullptr) return found;
  found.get = reinterpret_cast<int (*)(void**)>(dlsym(library, "cuCtxGetCurrent"));
  found.set = reinterpret_cast<int (*)(void*)>(dlsym(library, "cuCtxSetCurrent"));
  return found;
}

const CurrentContext& current_context() {
  static const CurrentContext found = load_current_context();
  return found;
}

}  // namespace

DeviceScope::DeviceScope(int device) {
  if (current_context().get != nullptr && current_context().get(&before_) != 0) before_ = nullptr;
  TRI_CUDA(cudaSetDevice(device));
}

DeviceScope::~DeviceScope() {
  if (current_context().set != nullptr) (void)current_context().set(before_);
}

}  // namespace tri::cuda
