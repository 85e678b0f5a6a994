#pragma once
/// The CUDA devices of this machine, for lists. No CUDA type appears here: a build without CUDA answers with none.

#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

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

/// Whether device 0 is usable, and if not, why: no driver, one too old, no GPU, no code for this GPU in this build. The
/// first call starts the driver and runs a trivial kernel; the answer is kept.
Availability cuda_available();

/// Whether a kernel of this build runs on that device; asked once a device and process, which starts it.
Availability cuda_device_usable(int device);

}  // namespace tri
