#include "sim/cuda/jit/runtime_kernel.hpp"

#include <unistd.h>
#include <chrono>
#include <future>
#include <map>
#include <mutex>

#include <fmt/format.h>

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

namespace {

/// Kernels of this process, and those that are being made. Never destroyed: a forked process, which has them without
/// their threads, could not join these when it exits.
struct KnownKernels {
  const pid_t process = getpid();
  std::mutex lock;
  std::map<KernelKey, std::shared_future<RuntimeKernel>> kernels;
  std::shared_future<void> compiler;  ///< of load_compiler()
};
KnownKernels& known_kernels() {
  static auto* const all = new KnownKernels;
  return *all;
}

bool failed(const std::shared_future<RuntimeKernel>& kernel) {
  try {
    (void)kernel.get();
    return false;
  } catch (...) {
    return true;
  }
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

/// Finds the kernel, or has it made by another thread. Throws BackendError where none can be made.
std::shared_future<RuntimeKernel> begun(const KernelText& text) {
  const nvrtc::Compiler& compiler = nvrtc::loaded();
  if (!compiler.found) throw BackendError(compiler.found.reason + ".");
  if (const Availability can = can_load_kernels(); !can) throw BackendError(can.reason + ".");
  const nvrtc::Target target = nvrtc::target_for(compiler, current_capability());
  const KernelKey key = key_of(text, compiler, target);
  KnownKernels& known = known_kernels();
  const std::lock_guard hold(known.lock);
  if (const auto at = known.kernels.find(key); at != known.kernels.end()) {
    std::shared_future<RuntimeKernel> there = at->second;
    const bool ended = there.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (!ended || !failed(there)) return there;
    known.kernels.erase(at);  // failures are not kept
  }
  int device = 0;
  TRI_CUDA(cudaGetDevice(&device));
  const auto make = [text, &compiler, target, device] {
    TRI_CUDA(cudaSetDevice(device));
    return RuntimeKernel{load_kernel(kernel_code(text, compiler, target, KernelCache(kernel_folder()))),
                         target.capability >= 90};
  };
  return known.kernels.emplace(key, std::async(std::launch::async, make).share()).first->second;
}

}  // namespace

RuntimeKernel runtime_kernel(const KernelText& text) { return begun(text).get(); }

void expect_kernel(const KernelText& text) { (void)begun(text); }

void load_compiler() {
  KnownKernels& known = known_kernels();
  const std::lock_guard hold(known.lock);
  if (known.compiler.valid()) return;
  const auto load = [] {
    const nvrtc::Compiler& compiler = nvrtc::loaded();
    if (!compiler.found) return;
    try {
      (void)nvrtc::compile(compiler, "__global__ void empty() {}", {compiler.archs.back(), false});
    } catch (const std::exception&) {  // the first kernel will say it
    }
  };
  known.compiler = std::async(std::launch::async, load).share();
}

void finish_kernels() noexcept {
  KnownKernels& known = known_kernels();
  if (known.process != getpid()) return;  // their threads, and who holds the lock, stayed with the parent
  const std::lock_guard hold(known.lock);
  if (known.compiler.valid()) known.compiler.wait();
  for (const auto& [key, kernel] : known.kernels) kernel.wait();
}

Availability runtime_kernels_available() {
  if (!nvrtc::loaded().found) return nvrtc::loaded().found;
  return can_load_kernels();
}

}  // namespace tri::cuda
