#pragma once
/// The current device of a thread for a while, in a process where other CUDA libraries choose theirs as well.

namespace tri::cuda {

/// Makes `device` current, and what was current before when it goes: also no device at all, which cudaSetDevice()
/// cannot restore. Throws CudaError.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  void* before_ = nullptr;  ///< the driver's context
};

}  // namespace tri::cuda
