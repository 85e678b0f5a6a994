#pragma once
/// The meters of an NVIDIA card through NVML.

#include <chrono>
#include <memory>
#include <string>

#include "sim/backend/device_meter.hpp"
#include "sim/cuda/meter/nvml_api.hpp"

namespace tri {

/// Between two looks at the card. Its own clocks and meters move a few ten times a second.
inline constexpr std::chrono::milliseconds kMeterInterval{20};

/// The meter of the card at that position of the bus ("0000:3b:00.0", as CUDA names it: the numbers of CUDA's devices
/// are not NVML's). Null, and one sentence without its full stop in `why_not`, when NVML refuses, when the card is
/// split (MIG: its meters count the work of all parts), or when it has no meter at all. The table is copied.
///
/// What it reads is of the whole card: other programs on it are counted too. Energy comes from the card's own counter
/// where it has one, else from samples of its power. begin() starts a thread that ends with end(); without it (the
/// system gave none) the reading rests on what both ends tell.
std::unique_ptr<DeviceMeter> make_nvml_meter(const nvml::Api& api, const std::string& pci_bus_id, std::string& why_not,
                                             std::chrono::microseconds interval = kMeterInterval);

}  // namespace tri
