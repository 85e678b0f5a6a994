#pragma once
/// The part of NVIDIA's management library (NVML) that the meters use, loaded at run time: the program builds and runs
/// without it. Names, numbers and units are those of the NVML API reference; all functions are thread-safe once init()
/// has succeeded.

#include <functional>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri::nvml {

using Status = int;  ///< nvmlReturn_t
inline constexpr Status kSuccess = 0;

using Device = void*;  ///< nvmlDevice_t, opaque

/// nvmlClockType_t, nvmlTemperatureSensors_t, nvmlEnableState_t
inline constexpr int kClockSm = 1, kClockMemory = 2;
inline constexpr int kSensorGpu = 0;
inline constexpr unsigned kMigEnabled = 1;

/// Bits of nvmlClocksEventReasons.
inline constexpr u64 kReasonIdle = 0x1;
inline constexpr u64 kReasonApplicationClocks = 0x2;
inline constexpr u64 kReasonPowerCap = 0x4;
inline constexpr u64 kReasonHardwareSlowdown = 0x8;
inline constexpr u64 kReasonSyncBoost = 0x10;
inline constexpr u64 kReasonThermal = 0x20;
inline constexpr u64 kReasonHardwareThermal = 0x40;
inline constexpr u64 kReasonPowerBrake = 0x80;
inline constexpr u64 kReasonDisplayClocks = 0x100;

/// nvmlProcessInfo_t of versions 2 and 3.
struct Process {
  unsigned pid = 0;
  unsigned long long bytes = 0;  ///< of the GPU's memory; all bits are set if NVML does not know
  unsigned gpu_instance = 0, compute_instance = 0;
};

/// Null = missing in the loaded library. The first three are set after api_from() has succeeded.
struct Api {
  Status (*init)() = nullptr;  ///< reference-counted: one shutdown() per init()
  Status (*shutdown)() = nullptr;
  Status (*device_by_pci)(const char* bus_id, Device*) = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*clock)(Device, int type, unsigned* mhz) = nullptr;
  Status (*power)(Device, unsigned* milliwatts) = nullptr;              ///< Ampere and later: mean of the last second
  Status (*energy)(Device, unsigned long long* millijoules) = nullptr;  ///< since the driver was loaded; from Volta on
  Status (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
  Status (*reasons)(Device, unsigned long long* bits) = nullptr;
  Status (*mig_mode)(Device, unsigned* current, unsigned* pending) = nullptr;
  Status (*processes)(Device, unsigned* count, Process*) = nullptr;  ///< those with a context of CUDA
};

/// Fills the table by symbol, trying the newest name of each function first. `find` returns null for an unknown name.
/// Not ok, with the name, if a required function is missing.
Availability api_from(const std::function<void*(const char*)>& find, Api& api);

/// Loads the system's library, which is never unloaded. Not ok, with the reason, if it is missing.
Availability load(Api& api, const char* library = "libnvidia-ml.so.1");

/// NVML's message for a status.
std::string text_of(const Api& api, Status status);

}  // namespace tri::nvml
