// Stub of the CUDA backend for builds without CUDA.

#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri {
namespace {

constexpr const char* kReason = "this build has no CUDA: it was configured without a CUDA toolkit";

}  // namespace

Availability cuda_available() { return {false, kReason}; }
Availability cuda_device_usable(int) { return {false, kReason}; }
std::vector<CudaDevice> cuda_devices() { return {}; }
bool cuda_reaches_all(int) { return false; }
std::string cuda_versions() { return {}; }
Availability cuda_sums_by_nccl() { return {false, kReason}; }

std::unique_ptr<Backend> make_cuda_backend(int device, Communicator&) { return make_cuda_backend(device); }

std::vector<DeviceProcess> cuda_processes(const std::string&) { return {}; }
std::unique_ptr<Communicator> make_cuda_communicator(int, u32, u32, u32, const std::string&) {
  throw BackendError(std::string(kReason) + ".");
}

std::unique_ptr<Backend> make_cuda_backend(int) {
  throw BackendError("--backend cuda: " + cuda_available().reason + ". Use --backend cpu, or build with CUDA.");
}

}  // namespace tri
