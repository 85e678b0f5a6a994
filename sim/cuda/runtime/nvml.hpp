#pragma once
/// Meters of a GPU: NVML, samples, power, clocks and temperature.
///
/// The part of NVIDIA's management library (NVML) that the meters use, loaded at run time: the program builds and runs
/// without it. Names, numbers and units are those of the NVML API reference; all functions are thread-safe once init()
/// has succeeded.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
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

// Collects the samples of a meter over one span and evaluates them. No device, no clock, no thread.

namespace tri {

/// One sample; values that could not be read are not set.
struct MeterSample {
  double at = 0;  ///< seconds, by any monotonic clock
  std::optional<double> power_w;
  std::optional<u32> clock_mhz, memory_clock_mhz;
  std::optional<u64> reasons;  ///< bits as nvml::kReason...
};

class MeterSamples {
 public:
  /// Call in order of time. Memory grows with the number of distinct clock rates, not of samples.
  void add(const MeterSample& sample);

  /// Integral of power from `begin` to `end` (seconds): linear between samples, constant before the first and after the
  /// last. nullopt without a power sample.
  std::optional<double> energy_j(double begin, double end) const;

  /// Sets the clocks and the throttling reasons. Samples flagged idle count for the clocks only if there are no others:
  /// a GPU lowers its clocks while it waits for work.
  void fill(MeterReading& reading) const;

 private:
  struct PowerPoint {
    double at, watts;
  };
  using Histogram = std::map<u32, u64>;  ///< MHz -> samples

  std::optional<PowerPoint> first_power_, last_power_;
  double joules_ = 0;  ///< from the first to the last
  Histogram busy_, idle_, busy_memory_, idle_memory_;
  u64 reasons_ = 0;
};

/// The phrases of MeterReading::throttling for NVML's bits, each once, in a fixed order. Idle is not included, nor
/// "hardware slowdown" when a more specific reason is set. Unknown bits are shown as numbers.
std::vector<std::string> throttle_phrases(u64 reasons);

// The meter of an NVIDIA GPU through NVML.

/// Sampling interval. The GPU updates its clocks and meters a few ten times per second.
inline constexpr std::chrono::milliseconds kMeterInterval{20};

/// The meter of the GPU at a PCI bus id ("0000:3b:00.0", as CUDA gives it: device numbers of CUDA and NVML differ).
/// Null, with one sentence without a full stop in `reason`, if NVML fails, if the GPU is partitioned (MIG: its meters
/// count the work of all partitions), or if it has no meters. Copies the table.
///
/// Readings are for the whole GPU, including other programs. Energy comes from the GPU's counter if it has one, else
/// from samples of its power. begin() starts a thread that end() joins; if the system has none, only the readings at
/// both ends count.
std::unique_ptr<DeviceMeter> make_nvml_meter(const nvml::Api& api, const std::string& pci_bus_id, std::string& reason,
                                             std::chrono::microseconds interval = kMeterInterval);

/// The processes that compute on the GPU, this one among them. Empty if NVML cannot tell, or does not list `own_pid`:
/// then it knows processes by other numbers than this one, as in a container, or hides them.
std::vector<DeviceProcess> nvml_processes(const nvml::Api& api, const std::string& pci_bus_id, u32 own_pid);

}  // namespace tri
