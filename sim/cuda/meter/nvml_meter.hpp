#pragma once
/// The meter of an NVIDIA GPU through NVML.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sim/backend/device_meter.hpp"
#include "sim/cuda/meter/nvml_api.hpp"

namespace tri {

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
