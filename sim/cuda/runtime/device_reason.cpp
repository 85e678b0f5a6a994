#include "sim/cuda/runtime/device_reason.hpp"

#include <fmt/format.h>

namespace tri::cuda {
namespace {

std::string name_of(const Refused& refused) {
  if (!refused.device) return "the NVIDIA driver";
  return fmt::format("{} (compute capability {}.{})", refused.device->name, refused.device->major,
                     refused.device->minor);
}

std::string old_driver(const Versions& versions) {
  if (versions.driver == 0) return "no NVIDIA driver is installed";
  return fmt::format("the NVIDIA driver is too old: it runs CUDA {} and this build needs {}; update the driver",
                     version_text(versions.driver), version_text(versions.runtime));
}

std::string no_device(const Refused& refused) {
  if (!refused.visible) return "the NVIDIA driver finds no GPU";
  return fmt::format("CUDA_VISIBLE_DEVICES='{}' leaves no GPU; unset it, or let it name one", *refused.visible);
}

std::string no_code(const Refused& refused) {
  if (!refused.device) return "this build has no code for this GPU; rebuild with -DCMAKE_CUDA_ARCHITECTURES=native";
  const u32 architecture = refused.device->major * 10 + refused.device->minor;
  // CUDA 13 took the compilers for everything before Turing away.
  const bool gone = architecture < 75 && refused.versions.runtime >= 13000;
  return fmt::format("this build has no code for {}; rebuild with {}-DCMAKE_CUDA_ARCHITECTURES={}", name_of(refused),
                     gone ? "a CUDA toolkit before 13 and " : "", architecture);
}

}  // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string refusal_reason(cudaError_t status, const Refused& refused) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return old_driver(refused.versions);
    case cudaErrorStubLibrary:
      return "the libcuda.so.1 that was found is the toolkit's stub for linking; take its folder out of "
             "LD_LIBRARY_PATH, or install the NVIDIA driver";
    case cudaErrorNoDevice:
      return no_device(refused);
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return no_code(refused);
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return fmt::format("{}, and the NVIDIA driver (CUDA {}) does not compile the portable code in it (CUDA {})",
                         no_code(refused), version_text(refused.versions.driver),
                         version_text(refused.versions.runtime));
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return "the NVIDIA driver's kernel module and its libraries are of different versions; restart the machine after "
             "an update of the driver, or remove the CUDA compatibility package";
    case cudaErrorSystemNotReady:
      return "the NVIDIA driver is not ready yet; start nvidia-fabricmanager, or wait for it";
    case cudaErrorDevicesUnavailable:
      return fmt::format("{} is taken by another program alone (exclusive mode); wait for it", name_of(refused));
    case cudaErrorMemoryAllocation:
      return fmt::format("{} has no memory left; another program holds it", name_of(refused));
    default:
      return fmt::format("{} cannot be used: {} ({})", name_of(refused), cudaGetErrorString(status),
                         cudaGetErrorName(status));
  }
}

}  // namespace tri::cuda
