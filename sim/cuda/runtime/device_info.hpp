#pragma once
/// The CUDA devices of this machine. No CUDA types here, so that a build without CUDA can return none.

#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri {

struct CudaDevice {
  int index = 0;  ///< value of --device
  std::string name;
  u32 major = 0, minor = 0;  ///< compute capability
  u64 memory = 0;            ///< bytes
  u32 multiprocessors = 0;
  std::string bus_id;  ///< PCI address, as "0000:19:00.0"
};

/// All devices in the driver's order, without those that fail to respond. Initialises the driver.
std::vector<CudaDevice> cuda_devices();

/// "driver for CUDA 13.0, built with CUDA 13.0"; the driver is named by the newest CUDA it supports. Empty in a build
/// without CUDA. Initialises the driver.
std::string cuda_versions();

/// Whether device 0 is usable, and if not, why: no driver or too old a driver, no GPU, no code for this GPU. The first
/// call initialises the driver and runs a trivial kernel; the result is cached.
Availability cuda_available();

/// Whether that device reaches the memory of every other one that this process sees.
bool cuda_reaches_all(int device);

/// Whether a kernel of this build runs on that device. Probed once per device and process.
Availability cuda_device_usable(int device);

}  // namespace tri
