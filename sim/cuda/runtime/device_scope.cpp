// The driver's library is opened by name, as the runtime does, since the program starts where there is none.

#include "sim/cuda/runtime/device_scope.hpp"

#include <dlfcn.h>

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

/// cuCtxGetCurrent() and cuCtxSetCurrent(); null where there is no driver.
struct ContextApi {
  int (*get)(void** context) = nullptr;
  int (*set)(void* context) = nullptr;
};

ContextApi load_context_api() {
  ContextApi found;
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
  if (library == nullptr) return found;
  found.get = reinterpret_cast<int (*)(void**)>(dlsym(library, "cuCtxGetCurrent"));
  found.set = reinterpret_cast<int (*)(void*)>(dlsym(library, "cuCtxSetCurrent"));
  return found;
}

const ContextApi& context_api() {
  static const ContextApi found = load_context_api();
  return found;
}

}  // namespace

void* current_context() {
  void* context = nullptr;
  if (context_api().get == nullptr || context_api().get(&context) != 0) return nullptr;
  return context;
}

void set_current_context(void* context) {
  if (context_api().set != nullptr) (void)context_api().set(context);
}

DeviceScope::DeviceScope(int device) : before_(current_context()) {
  const cudaError_t status = cudaSetDevice(device);
  if (status == cudaSuccess) return;
  set_current_context(before_);
  throw_error(status, "cudaSetDevice");
}

DeviceScope::~DeviceScope() { set_current_context(before_); }

}  // namespace tri::cuda
