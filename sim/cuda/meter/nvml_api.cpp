#include "sim/cuda/meter/nvml_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

namespace tri::nvml {
namespace {

using Find = std::function<void*(const char*)>;

/// Sets the function to the first of the names that exists.
template <class Function>
void resolve(const Find& find, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function*>(find(name));
  }
}

}  // namespace

Availability api_from(const Find& find, Api& api) {
  api = {};
  resolve(find, api.init, {"nvmlInit_v2", "nvmlInit"});
  resolve(find, api.shutdown, {"nvmlShutdown"});
  resolve(find, api.device_by_pci, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
  if (api.init == nullptr) return {false, "NVML has no function nvmlInit"};
  if (api.shutdown == nullptr) return {false, "NVML has no function nvmlShutdown"};
  if (api.device_by_pci == nullptr) return {false, "NVML has no function nvmlDeviceGetHandleByPciBusId"};
  resolve(find, api.error_string, {"nvmlErrorString"});
  resolve(find, api.clock, {"nvmlDeviceGetClockInfo"});
  resolve(find, api.power, {"nvmlDeviceGetPowerUsage"});
  resolve(find, api.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  resolve(find, api.temperature, {"nvmlDeviceGetTemperature"});
  // Renamed with driver 535; the bits are the same.
  resolve(find, api.reasons, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  resolve(find, api.mig_mode, {"nvmlDeviceGetMigMode"});
  resolve(find, api.processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  return {true, ""};
}

Availability load(Api& api, const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {false, fmt::format("the GPU's meters are read through NVML, but {} is missing; it comes with the NVIDIA "
                               "driver",
                               library)};
  }
  return api_from([handle](const char* name) { return dlsym(handle, name); }, api);
}

std::string text_of(const Api& api, Status status) {
  const char* text = api.error_string != nullptr ? api.error_string(status) : nullptr;
  return text != nullptr ? fmt::format("{} (NVML status {})", text, status) : fmt::format("NVML status {}", status);
}

}  // namespace tri::nvml
