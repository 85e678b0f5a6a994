#include "sim/cuda/runtime/device_reason.hpp"

#include <fmt/format.h>

namespace tri::cuda {
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
