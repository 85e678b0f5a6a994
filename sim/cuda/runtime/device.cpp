#include "sim/cuda/runtime/device.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "sim/cuda/runtime/device_info.hpp"

namespace tri::cuda {
namespace {

ExitCode code_for(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidSource:  // dynamic parallelism when the driver compiled from PTX
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return ExitCode::no_gpu;
    default:
      return ExitCode::numerical;
  }
}

const char* hint_for(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "Use a smaller --n, or free GPU memory.";
    case cudaErrorNoDevice:
      return "Use --backend cpu, or make a GPU visible (CUDA_VISIBLE_DEVICES).";
    case cudaErrorInsufficientDriver:
      return "Update the NVIDIA driver, or use --backend cpu.";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidSource:
      return "Rebuild with -DCMAKE_CUDA_ARCHITECTURES set for this card, or use --backend cpu.";
    case cudaErrorInvalidDevice:
      return "See `triangulum list devices` for the numbers that --device accepts.";
    default:
      return "Run again under compute-sanitizer to locate the error.";
  }
}

std::string sentence(cudaError_t status, const char* call, const std::string& context) {
  return fmt::format("{}{}{} failed: {} ({}). {}", context, context.empty() ? "" : ": ", call,
                     cudaGetErrorString(status), cudaGetErrorName(status), hint_for(status));
}

}  // namespace

CudaError::CudaError(cudaError_t status, const char* call, const std::string& context)
    : Error(code_for(status), sentence(status, call, context)), status_(status) {}

void throw_error(cudaError_t status, const char* call, const std::string& context) {
  (void)cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw MemoryError(sentence(status, call, context));
  throw CudaError(status, call, context);
}

void throw_if_failed(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw_error(status, call);
}

void report_if_failed(cudaError_t status, const char* call) noexcept {
  static std::atomic_flag reported;
  if (status == cudaSuccess || reported.test_and_set()) return;
  std::fprintf(stderr, "warning: %s failed: %s\n", call, cudaGetErrorString(status));
}

void check_launch(const char* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw_error(status, kernel, "launch");
}

namespace {

std::string name_of(const ProbeFailure& failure) {
  if (!failure.device) return "the NVIDIA driver";
  return fmt::format("{} (compute capability {}.{})", failure.device->name, failure.device->major,
                     failure.device->minor);
}

std::string old_driver(const Versions& versions) {
  if (versions.driver == 0) return "no NVIDIA driver is installed";
  return fmt::format("the NVIDIA driver is too old: it runs CUDA {} and this build needs {}; update the driver",
                     version_text(versions.driver), version_text(versions.runtime));
}

std::string no_device(const ProbeFailure& failure) {
  if (!failure.visible) return "the NVIDIA driver finds no GPU";
  return fmt::format("CUDA_VISIBLE_DEVICES='{}' leaves no GPU; unset it, or let it name one", *failure.visible);
}

std::string no_code(const ProbeFailure& failure) {
  if (!failure.device) return "this build has no code for this GPU; rebuild with -DCMAKE_CUDA_ARCHITECTURES=native";
  const u32 architecture = failure.device->major * 10 + failure.device->minor;
  // CUDA 13 dropped all architectures before Turing.
  const bool dropped = architecture < 75 && failure.versions.runtime >= 13000;
  const bool unknown = architecture >= 100 && failure.versions.runtime < 12080;  // Blackwell
  return fmt::format("this build has no code for {}; rebuild with {}-DCMAKE_CUDA_ARCHITECTURES={}", name_of(failure),
                     dropped   ? "a CUDA toolkit before 13 and "
                     : unknown ? "the CUDA toolkit 12.8 or later and "
                               : "",
                     architecture);
}

}  // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string unavailable_reason(cudaError_t status, const ProbeFailure& failure) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return old_driver(failure.versions);
    case cudaErrorStubLibrary:
      return "the libcuda.so.1 that was found is the toolkit's link stub; remove its folder from LD_LIBRARY_PATH, or "
             "install the NVIDIA driver";
    case cudaErrorNoDevice:
      return no_device(failure);
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return no_code(failure);
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return fmt::format("{}, and the NVIDIA driver (CUDA {}) does not compile the portable code in it (CUDA {})",
                         no_code(failure), version_text(failure.versions.driver),
                         version_text(failure.versions.runtime));
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return "the NVIDIA kernel module and driver libraries have different versions; reboot after a driver update, or "
             "remove the CUDA compatibility package";
    case cudaErrorSystemNotReady:
      return "the NVIDIA driver is not ready yet; start nvidia-fabricmanager, or wait for it";
    case cudaErrorDevicesUnavailable:
      return fmt::format("{} is in use by another program (exclusive mode); wait for it", name_of(failure));
    case cudaErrorMemoryAllocation:
      return fmt::format("{} has no memory left; another program uses it", name_of(failure));
    default:
      return fmt::format("{} cannot be used: {} ({})", name_of(failure), cudaGetErrorString(status),
                         cudaGetErrorName(status));
  }
}

std::string no_tensor_code(const CudaDevice& device, u32 needed, const std::string& what) {
  if (device.major < needed) {
    return fmt::format(
        "--arithmetic tensor needs a GPU of compute capability {}.0 or later{}; this one has {}.{}. Use --arithmetic "
        "float32.",
        needed, what, device.major, device.minor);
  }
  return fmt::format(
      "--arithmetic tensor needs program code for compute capability {}.0 or later{}; what this build has for this GPU "
      "({}.{}) is older. Rebuild with -DCMAKE_CUDA_ARCHITECTURES={}{}, or use --arithmetic float32.",
      needed, what, device.major, device.minor, device.major, device.minor);
}

}  // namespace tri::cuda

namespace tri {
namespace {

cuda::Versions versions() {
  cuda::Versions v;
  // On failure the versions stay 0: unknown.
  (void)cudaDriverGetVersion(&v.driver);
  (void)cudaRuntimeGetVersion(&v.runtime);
  return v;
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

cudaError_t describe(int index, CudaDevice& device) {
  cudaDeviceProp p{};
  const cudaError_t status = cudaGetDeviceProperties(&p, index);
  device = {index,
            p.name,
            static_cast<u32>(p.major),
            static_cast<u32>(p.minor),
            p.totalGlobalMem,
            static_cast<u32>(p.multiProcessorCount),
            fmt::format("{:04x}:{:02x}:{:02x}.0", p.pciDomainID, p.pciBusID, p.pciDeviceID)};
  return status;
}

Availability unavailable(cudaError_t status, std::optional<CudaDevice> device) {
  (void)cudaGetLastError();  // clear it for the next call
  cuda::ProbeFailure failure{versions(), std::move(device), {}};
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr) failure.visible = visible;
  return {false, cuda::unavailable_reason(status, failure)};
}

Availability probe(int device) {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
  if (status != cudaSuccess) return unavailable(status, {});
  if (device < 0 || device >= count) {
    return {false, fmt::format("there is no device {}; this machine has {}", device,
                               count == 1 ? std::string("device 0 only") : fmt::format("0 to {}", count - 1))};
  }
  CudaDevice about;
  status = describe(device, about);
  // On a thread of its own, as the current device belongs to the thread: to choose the one before again would make a
  // context on that, too, of half a gigabyte.
  const auto attempt = [&] {
    status = cudaSetDevice(device);
    if (status == cudaSuccess) status = cuda::run_probe();
  };
  if (status == cudaSuccess) std::thread(attempt).join();
  if (status == cudaSuccess) return {true, ""};
  return unavailable(status, about.name.empty() ? std::nullopt : std::optional(about));
}

}  // namespace

std::vector<CudaDevice> cuda_devices() {
  std::vector<CudaDevice> devices;
  const int count = device_count();
  for (int i = 0; i < count; ++i) {
    CudaDevice device;
    if (describe(i, device) == cudaSuccess) devices.push_back(device);
  }
  return devices;
}

bool cuda_reaches_all(int device) {
  const int count = device_count();
  for (int other = 0; other < count; ++other) {
    int reaches = 0;
    if (other != device && (cudaDeviceCanAccessPeer(&reaches, device, other) != cudaSuccess || reaches == 0)) {
      return false;
    }
  }
  return true;
}

std::string cuda_versions() {
  const cuda::Versions v = versions();
  return fmt::format("{}, built with CUDA {}",
                     v.driver == 0 ? std::string("no driver") : "driver for CUDA " + cuda::version_text(v.driver),
                     cuda::version_text(v.runtime));
}

Availability cuda_device_usable(int device) {
  static std::mutex mutex;
  static std::map<int, Availability> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  return known.emplace(device, probe(device)).first->second;
}

Availability cuda_available() { return cuda_device_usable(0); }

}  // namespace tri

// The driver's library is opened by name, as the runtime does, since the program starts where there is none.

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

namespace {

constexpr u64 kReserve = u64{256} << 20;

}  // namespace

u64 free_device_memory() {
  std::size_t available = 0, total = 0;
  TRI_CUDA(cudaMemGetInfo(&available, &total));
  return available - std::min<u64>(available, kReserve);
}

void require_device_memory(double bytes, const std::string& what, const std::string& hint) {
  const u64 available = free_device_memory();
  if (bytes > static_cast<double>(available)) fail_device_memory(bytes, available, what, hint);
}

void fail_device_memory(double bytes, u64 available, const std::string& what, const std::string& hint) {
  throw MemoryError(fmt::format("{} would take {} of GPU memory; {} are free. {}.", what, gib_text(bytes),
                                gib_text(static_cast<double>(available)), hint));
}

void* allocate_device_memory(std::size_t count, std::size_t size) {
  if (count == 0) return nullptr;
  void* memory = nullptr;
  const bool countable = count <= std::numeric_limits<std::size_t>::max() / size;
  const cudaError_t status = countable ? cudaMalloc(&memory, count * size) : cudaErrorMemoryAllocation;
  if (status == cudaSuccess) return memory;
  if (status != cudaErrorMemoryAllocation) throw_error(status, "cudaMalloc");
  (void)cudaGetLastError();  // clear it for the next launch
  throw MemoryError(
      fmt::format("cannot allocate {} of GPU memory (cudaErrorMemoryAllocation); another program may use it. Wait for "
                  "that, or use a smaller --n.",
                  gib_text(static_cast<double>(count) * static_cast<double>(size))));
}

}  // namespace tri::cuda
