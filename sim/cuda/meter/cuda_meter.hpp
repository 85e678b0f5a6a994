#pragma once
/// From a CUDA device to its meters.

#include <memory>
#include <string>

#include "sim/backend/device_meter.hpp"

namespace tri::cuda {

/// `device` as CUDA counts. Null, and one sentence without its full stop in `why_not`, where there are no meters: no
/// NVML (containers, WSL, Jetson), or one that refuses.
std::unique_ptr<DeviceMeter> make_cuda_meter(int device, std::string& why_not);

}  // namespace tri::cuda
