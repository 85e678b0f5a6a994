#pragma once
/// The CUDA devices of this machine, for lists. No CUDA type appears here: a build without CUDA answers with none.

#include <string>
#include <vector>

#include "sim/error.hpp"
#include "sim/platform.hpp"

namespace tri {

struct CudaDevice {
  int index = 0;  ///< what --device takes
  std::string name;
  u32 major = 0, minor = 0;  ///< compute capability
  u64 memory = 0;            ///< bytes
  u32 multiprocessors = 0;
};

/// In the driver's order; empty when it has none. One that does not answer is left out. Starts the driver.
std::vector<CudaDevice> cuda_devices();

/// "driver for CUDA 13.0, built with CUDA 13.0"; the driver is named by the newest CUDA it runs. Empty in a
/// build without CUDA. Starts the driver.
std::string cuda_versions();

/// Whether a kernel of this build runs on that device; asked once a device and process, which starts it.
Availability cuda_device_usable(int device);

}  // namespace tri
