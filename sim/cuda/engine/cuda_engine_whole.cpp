// Steps that a progress sink may end: whole, or not at all.

#include "sim/base/progress.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"

namespace tri::cuda {

template <class Real>
bool CudaEngine<Real>::watched() const {
  if (!progress_is_wanted()) return false;
  return (work_.pairs && work_.pairs->in_slices()) || (work_.contacts && work_.contacts->in_slices()) ||
         (work_.triples && work_.triples->in_slices());
}

template <class Real>
void CudaEngine<Real>::take_whole(const std::function<void()>& take) {
  if (!watched()) return take();
  const auto copy = [this](const DeviceBuffer<Vec4<Real>>& from, DeviceBuffer<Vec4<Real>>& to) {
    if (to.size() == 0) to = DeviceBuffer<Vec4<Real>>(n_);
    TRI_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream_));
  };
  copy(positions_, positions_before_), copy(velocities_, velocities_before_);
  const std::vector<double> rest = jerk_ ? jerk_->rest() : rest_;
  try {
    take();
  } catch (const InterruptedError&) {
    copy(positions_before_, positions_), copy(velocities_before_, velocities_);
    jerk_.reset();
    rest_ = rest;
    accelerations_valid_ = false;
    reset_fault_flag();  // of the part that was done; waits for it
    throw;
  }
}

template class CudaEngine<float>;
template class CudaEngine<double>;

}  // namespace tri::cuda
