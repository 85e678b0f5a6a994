#include "sim/cuda/meter/nvml_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

namespace tri::nvml {
namespace {

using Find = std::function<void*(const char*)>;

/// The first of the names that is there.
template <class Function>
void take(const Find& find, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function*>(find(name));
  }
}

}  // namespace

Availability api_from(const Find& find, Api& api) {
  api = {};
  take(find, api.init, {"nvmlInit_v2", "nvmlInit"});
  take(find, api.shutdown, {"nvmlShutdown"});
  take(find, api.device_by_pci, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
  if (api.init == nullptr) return {false, "NVML has no function nvmlInit"};
  if (api.shutdown == nullptr) return {false, "NVML has no function nvmlShutdown"};
  if (api.device_by_pci == nullptr) return {false, "NVML has no function nvmlDeviceGetHandleByPciBusId"};
  take(find, api.error_string, {"nvmlErrorString"});
  take(find, api.clock, {"nvmlDeviceGetClockInfo"});
  take(find, api.power, {"nvmlDeviceGetPowerUsage"});
  take(find, api.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  take(find, api.temperature, {"nvmlDeviceGetTemperature"});
  // Renamed with driver 535; the bits are the same.
  take(find, api.reasons, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  take(find, api.mig_mode, {"nvmlDeviceGetMigMode"});
  return {true, ""};
}

Availability load(Api& api, const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {false, fmt::format("the card's meters are read through NVML, and {} is not to be found; it comes with the "
                               "NVIDIA driver",
                               library)};
  }
  return api_from([handle](const char* name) { return dlsym(handle, name); }, api);
}

std::string text_of(const Api& api, Status status) {
  const char* words = api.error_string != nullptr ? api.error_string(status) : nullptr;
  return words != nullptr ? fmt::format("{} (NVML status {})", words, status) : fmt::format("NVML status {}", status);
}

}  // namespace tri::nvml
