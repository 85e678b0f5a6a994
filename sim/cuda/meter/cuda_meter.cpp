#include "sim/cuda/meter/cuda_meter.hpp"

#include <array>

#include "sim/cuda/meter/nvml_meter.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {

std::unique_ptr<DeviceMeter> make_cuda_meter(int device, std::string& reason) {
  static nvml::Api api;
  static const Availability loaded = nvml::load(api);
  if (!loaded) {
    reason = loaded.reason;
    return nullptr;
  }
  std::array<char, 32> bus_id{};
  TRI_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device));
  return make_nvml_meter(api, bus_id.data(), reason);
}

}  // namespace tri::cuda
