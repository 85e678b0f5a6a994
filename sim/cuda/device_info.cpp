#include "sim/cuda/device_info.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "sim/cuda/check.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/kernels/probe.hpp"

namespace tri {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

struct Versions {
  int driver = 0;  ///< newest CUDA that the driver runs, 0 without a driver
  int runtime = 0;
};

Versions versions() {
  Versions v;
  // A failure here leaves 0, which is what it means.
  (void)cudaDriverGetVersion(&v.driver);
  (void)cudaRuntimeGetVersion(&v.runtime);
  return v;
}

/// One sentence, without its full stop, for a status with which a device or the driver refuses.
std::string reason_for(cudaError_t status, const std::string& device) {
  const Versions v = versions();
  switch (status) {
    case cudaErrorInsufficientDriver:
      if (v.driver == 0) return "no NVIDIA driver is installed";
      return fmt::format("the NVIDIA driver is too old: it runs CUDA {} and this build needs {}",
                         version_text(v.driver), version_text(v.runtime));
    case cudaErrorNoDevice:
      return "the NVIDIA driver finds no GPU";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidDeviceFunction:
      return fmt::format("this build has no code for {}; rebuild with -DCMAKE_CUDA_ARCHITECTURES=native", device);
    default:
      return fmt::format("{} cannot be used: {} ({})", device, cudaGetErrorString(status), cudaGetErrorName(status));
  }
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

CudaDevice describe(int index) {
  cudaDeviceProp p{};
  TRI_CUDA(cudaGetDeviceProperties(&p, index));
  return {index,
          p.name,
          static_cast<u32>(p.major),
          static_cast<u32>(p.minor),
          p.totalGlobalMem,
          static_cast<u32>(p.multiProcessorCount)};
}

Availability probe(int device) {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
  if (status != cudaSuccess) return {false, reason_for(status, "the driver")};
  if (device < 0 || device >= count) {
    return {false, fmt::format("there is no device {}; this machine has {}", device,
                               count == 1 ? std::string("device 0 only") : fmt::format("0 to {}", count - 1))};
  }
  const CudaDevice d = describe(device);
  const std::string name = fmt::format("{} (compute capability {}.{})", d.name, d.major, d.minor);
  int before = 0;
  status = cudaGetDevice(&before);
  if (status == cudaSuccess) status = cudaSetDevice(device);
  if (status == cudaSuccess) status = cuda::run_probe();
  (void)cudaSetDevice(before);
  if (status == cudaSuccess) return {true, ""};
  (void)cudaGetLastError();  // the refusal has been heard; the next call must not see it again
  return {false, reason_for(status, name)};
}

}  // namespace

std::vector<CudaDevice> cuda_devices() {
  std::vector<CudaDevice> devices;
  for (int i = 0; i < device_count(); ++i) devices.push_back(describe(i));
  return devices;
}

std::string cuda_versions() {
  const Versions v = versions();
  return fmt::format("{}, built with CUDA {}",
                     v.driver == 0 ? std::string("no driver") : "driver for CUDA " + version_text(v.driver),
                     version_text(v.runtime));
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
