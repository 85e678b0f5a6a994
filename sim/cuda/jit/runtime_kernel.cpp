#include "sim/cuda/jit/runtime_kernel.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <future>
#include <map>
#include <mutex>

#include "sim/cuda/jit/kernel_library.hpp"

namespace tri::cuda {
namespace {

KernelKey key_of(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target) {
  KernelKey key;
  key.add(fmt::format("NVRTC {}", compiler.version));
  key.add(target.option());
  for (const std::string& option : nvrtc::options()) key.add(option);
  key.add(text.common);
  key.add(text.own);
  return key;
}

/// Says once in a process that kernels cannot be kept.
void report_unkept(const std::string& why) {
  static std::once_flag once;
  std::call_once(once, [&] {
    fmt::print(stderr, "triangulum: compiled kernels of typed laws are not kept, and each start compiles them: {}\n",
               why);
  });
}

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

std::vector<char> kernel_code(const KernelText& text, const nvrtc::Compiler& compiler, const nvrtc::Target& target,
                              const KernelCache& cache) {
  const KernelKey key = key_of(text, compiler, target);
  if (auto kept = cache.find(key)) return *std::move(kept);
  std::vector<char> code = nvrtc::compile(compiler, std::string(text.common) + text.own, target);
  if (const std::string why = cache.keep(key, code); !why.empty()) report_unkept(why);
  return code;
}

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
