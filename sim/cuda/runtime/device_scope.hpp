#pragma once
/// The current device of a thread for a while, in a process where other CUDA libraries choose theirs as well.

namespace tri::cuda {

/// The driver's current context in this thread, whichever runtime made it; null for none.
void* current_context();
void set_current_context(void* context);

/// Makes `device` current, and what was current before when it goes: also no device at all, which cudaSetDevice()
/// cannot restore. Throws CudaError.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  void* before_;
};

}  // namespace tri::cuda
