#include "sim/cuda/runtime/device_info.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_reason.hpp"

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
