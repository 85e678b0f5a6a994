// Stub of the CUDA backend for builds without CUDA.

#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/engine/device_arrays.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri {
namespace {

constexpr const char* kReason = "this build has no CUDA: it was configured without a CUDA toolkit";

[[noreturn]] void refuse_device_array() {
  throw BackendError(std::string("an array in GPU memory: ") + kReason + ". Give one in host memory.");
}

}  // namespace

Availability cuda_available() { return {false, kReason}; }
Availability cuda_device_usable(int) { return {false, kReason}; }
std::vector<CudaDevice> cuda_devices() { return {}; }
bool cuda_reaches_all(int) { return false; }
std::string cuda_versions() { return {}; }
void finish_cuda_work() noexcept {}
Availability cuda_sums_by_nccl() { return {false, kReason}; }

std::unique_ptr<Backend> make_cuda_backend(int device, Communicator&) { return make_cuda_backend(device); }

std::vector<DeviceProcess> cuda_processes(const std::string&) { return {}; }
std::unique_ptr<Communicator> make_cuda_communicator(int, u32, u32, u32, const std::string&) {
  throw BackendError(std::string(kReason) + ".");
}

std::unique_ptr<Backend> make_cuda_backend(int) {
  throw BackendError("--backend cuda: " + cuda_available().reason + ". Use --backend cpu, or build with CUDA.");
}

template <class Real>
void enqueue_distances(const DeviceQueue&, const DeviceRows<Real>&, DistanceLayout, const EngineConfig&, Real*) {
  refuse_device_array();
}
template void enqueue_distances(const DeviceQueue&, const DeviceRows<float>&, DistanceLayout, const EngineConfig&,
                                float*);
template void enqueue_distances(const DeviceQueue&, const DeviceRows<double>&, DistanceLayout, const EngineConfig&,
                                double*);
template <class Real>
void device_contacts(const DeviceQueue&, const DeviceRows<Real>&, const Real*, Real, const std::vector<double>&, bool,
                     DeviceAllocator&) {
  refuse_device_array();
}
template void device_contacts(const DeviceQueue&, const DeviceRows<float>&, const float*, float,
                              const std::vector<double>&, bool, DeviceAllocator&);
template void device_contacts(const DeviceQueue&, const DeviceRows<double>&, const double*, double,
                              const std::vector<double>&, bool, DeviceAllocator&);
template <class Real>
std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<Real>&, const ForceField&,
                                    const EngineConfig&, bool, Real*) {
  refuse_device_array();
}
template std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<float>&, const ForceField&,
                                             const EngineConfig&, bool, float*);
template std::optional<double> device_forces(const DeviceQueue&, const DeviceBodies<double>&, const ForceField&,
                                             const EngineConfig&, bool, double*);
template <class Real>
std::optional<TripleCounts> device_triplets(const DeviceQueue&, const DeviceRows<Real>&, const SideBins&,
                                            const EngineConfig&) {
  refuse_device_array();
}
template std::optional<TripleCounts> device_triplets(const DeviceQueue&, const DeviceRows<float>&, const SideBins&,
                                                     const EngineConfig&);
template std::optional<TripleCounts> device_triplets(const DeviceQueue&, const DeviceRows<double>&, const SideBins&,
                                                     const EngineConfig&);
void copy_to_host(const DeviceQueue&, const void*, u64, void*) { refuse_device_array(); }
void copy_to_device(const DeviceQueue&, const void*, u64, void*) { refuse_device_array(); }
DeviceBlock::DeviceBlock(const DeviceQueue& queue, u64) : device_(queue.device) { refuse_device_array(); }
DeviceBlock::~DeviceBlock() = default;
CurrentDevice::CurrentDevice(bool keep) : keep_(keep) {}
CurrentDevice::~CurrentDevice() = default;
void wait_for(const DeviceQueue&) { refuse_device_array(); }

}  // namespace tri
