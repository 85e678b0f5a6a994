// States that an engine keeps in device memory, to be brought back.

#include "sim/base/contracts.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/runtime/device_memory.hpp"

namespace tri::cuda {
namespace {

/// All that the next step depends on, and the accelerations that are published with it.
template <class Real>
struct StateOnDevice final : KeptState {
  explicit StateOnDevice(u32 n) : positions(n), velocities(n), acceleration(n) {}
  DeviceBuffer<Vec4<Real>> positions, velocities, acceleration;
  std::vector<double> rest;
  u64 bytes() const override { return 3 * positions.bytes() + rest.size() * sizeof(double); }
};

template <class Real>
void copy_on_device(DeviceBuffer<Vec4<Real>>& to, const DeviceBuffer<Vec4<Real>>& from, cudaStream_t stream) {
  TRI_EXPECTS(to.size() == from.size());
  TRI_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace

template <class Real>
std::unique_ptr<KeptState> CudaEngine<Real>::keep(std::unique_ptr<KeptState> reuse) const {
  use_device();
  TRI_EXPECTS(whole_);
  if (!reuse) {
    require_device_memory(3 * positions_.bytes(), "a keyframe", "Use fewer bodies");
    reuse = std::make_unique<StateOnDevice<Real>>(n_);
  }
  auto* to = dynamic_cast<StateOnDevice<Real>*>(reuse.get());
  TRI_EXPECTS(to != nullptr);
  copy_on_device(to->positions, positions_, stream_);
  copy_on_device(to->velocities, velocities_, stream_);
  copy_on_device(to->acceleration, acceleration_, stream_);
  to->rest = jerk_ ? jerk_->rest() : rest_;
  stream_.synchronize();  // so that its cost is known
  return reuse;
}

template <class Real>
void CudaEngine<Real>::bring_back(const KeptState& kept) {
  use_device();
  const auto* from = dynamic_cast<const StateOnDevice<Real>*>(&kept);
  TRI_EXPECTS(from != nullptr);
  jerk_.reset();
  whole_ = true, divided_ = false;
  copy_on_device(positions_, from->positions, stream_);
  copy_on_device(velocities_, from->velocities, stream_);
  copy_on_device(acceleration_, from->acceleration, stream_);
  rest_ = from->rest;
  stream_.synchronize();
  accelerations_valid_ = false;
}

template std::unique_ptr<KeptState> CudaEngine<float>::keep(std::unique_ptr<KeptState>) const;
template std::unique_ptr<KeptState> CudaEngine<double>::keep(std::unique_ptr<KeptState>) const;
template void CudaEngine<float>::bring_back(const KeptState&);
template void CudaEngine<double>::bring_back(const KeptState&);

}  // namespace tri::cuda
