#pragma once
/// Tests whether a CUDA device is usable, and explains why not.

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "sim/cuda/runtime/device_info.hpp"

namespace tri::cuda {

/// As CUDA counts them: 1000 * major + 10 * minor.
struct Versions {
  int driver = 0;   ///< the newest CUDA that the driver supports; 0 without a driver
  int runtime = 0;  ///< the CUDA of this build
};

/// "13.0"
std::string version_text(int version);

/// Context of a failed device probe.
struct ProbeFailure {
  Versions versions;
  std::optional<CudaDevice> device;    ///< not set if the driver itself failed
  std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES, if set
};

/// Launches a trivial kernel on the current device and checks its result, so that missing machine code or a broken
/// driver is found before any work starts.
cudaError_t run_probe();

/// One sentence without a full stop for a failed probe: what is wrong, and what to do besides using another backend.
/// Needs neither a driver nor a device, as version_text().
std::string unavailable_reason(cudaError_t status, const ProbeFailure& failure);

/// Why `--arithmetic tensor` is refused on a device where has_code() (kernel_code.hpp) found none for `needed`.0 or
/// later: the device is older, or its code in this build is. what: "" or " for triples in fp64". Sentences.
std::string no_tensor_code(const CudaDevice& device, u32 needed, const std::string& what);

}  // namespace tri::cuda
