#pragma once
/// Why a CUDA device cannot be used, in words. Pure: it needs neither a driver nor a device.

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "sim/cuda/runtime/device_info.hpp"

namespace tri::cuda {

/// As CUDA counts them: 1000 * major + 10 * minor.
struct Versions {
  int driver = 0;   ///< the newest CUDA that the driver runs; 0 without a driver
  int runtime = 0;  ///< the CUDA that this build was made with
};

/// "13.0"
std::string version_text(int version);

/// What is known of the position that refused.
struct Refused {
  Versions versions;
  std::optional<CudaDevice> device;    ///< not set where the driver itself refused
  std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES, where it is set
};

/// One sentence without its full stop, for a status with which a device or the driver refuses: what is wrong, and what
/// can be done about it besides taking another backend.
std::string refusal_reason(cudaError_t status, const Refused& refused);

}  // namespace tri::cuda
