#pragma once
/// The meter of a CUDA device.

#include <memory>
#include <string>

#include "sim/backend/device_meter.hpp"

namespace tri::cuda {

/// `device` in CUDA's numbering. Null, with one sentence without a full stop in `reason`, if there is no meter: NVML is
/// missing (containers, WSL, Jetson) or fails.
std::unique_ptr<DeviceMeter> make_cuda_meter(int device, std::string& reason);

}  // namespace tri::cuda
