// States that an engine keeps in device memory, to be brought back; and its own, for others to read and write.

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sim/backend/arithmetic.hpp"
#include "sim/base/contracts.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/engine/device_range.hpp"
#include "sim/cuda/kernels/bodies/state_change.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/model/float_range.hpp"
#include "sim/model/massless.hpp"

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

template <class Real>
StateArrays CudaEngine<Real>::lend() {
  if (ranks_ != nullptr) return Engine::lend();
  lent_ = keep(std::move(lent_));
  const auto numbers = [](DeviceBuffer<Vec4<Real>>& of) { return reinterpret_cast<Real*>(of.data()); };
  Real* const position = numbers(positions_);
  Real* const velocity = numbers(velocities_);
  return {position, velocity, position + 3, velocity + 3, 4, 1, device_};
}

template <class Real>
bool CudaEngine<Real>::take_back(bool discard) {
  TRI_EXPECTS(lent_ != nullptr);
  use_device();
  {
    const std::unique_lock alone(capture_mutex());
    TRI_CUDA(cudaDeviceSynchronize());  // others have streams of their own
  }
  const std::unique_ptr<KeptState> before = std::move(lent_);
  if (discard) return bring_back(*before), false;
  const auto& kept = dynamic_cast<const StateOnDevice<Real>&>(*before);
  DeviceBuffer<u32> differ(1);
  differ.fill_bytes(0, stream_);
  enqueue_compare(stream_, positions_.data(), kept.positions.data(), positions_.bytes(), differ.data());
  enqueue_compare(stream_, velocities_.data(), kept.velocities.data(), velocities_.bytes(), differ.data());
  if (differ.download(stream_)[0] == 0) return false;
  try {
    take_written();
  } catch (...) {
    bring_back(*before);
    throw;
  }
  return true;
}

/// Makes anew what follows from the state.
template <class Real>
void CudaEngine<Real>::take_written() {
  const Bodies bodies = read();
  check(bodies);
  check_float_values(bodies, work_.config.precision);
  if (const std::string why = massless_refusal(bodies, work_.field); !why.empty()) throw ConfigError(why);
  check_device_range(bodies, work_.field, work_.config.precision);
  jerk_.reset(), rest_.clear();
  const bool line = on_a_line(bodies);
  // Radii may have changed, and with them what a grid and a box permit.
  const ForceField field = bare_ ? *bare_ : work_.field;
  if (std::exchange(on_a_line_, line) != line || work_.contacts || bare_) set_field(field);
  wrap_positions();
  accelerations_valid_ = false;
}

template <class Real>
bool CudaEngine<Real>::keep_apart() {
  if (bare_ || !sums_are_accelerations(work_.field)) return false;
  const Bodies bodies = read();
  const std::optional<ForceField> softened = apart(bodies, work_.field, work_.config.precision);
  if (!softened) return false;
  Work work = make_work(*softened, work_.asked, bodies);
  bare_ = work_.field;
  kept_.clear();
  take(std::move(work));
  if (work_.pairs) work_.pairs->keep_sorted(stream_, state(), 1);
  return true;
}

template <class Real>
void CudaEngine<Real>::come_together() {
  if (!bare_) return;
  const Bodies bodies = read();
  if (only_massless_coincide(bodies, work_.config.precision)) return;
  Work work = make_work(*bare_, work_.asked, bodies);
  bare_.reset();
  kept_.clear();
  take(std::move(work));
}

template StateArrays CudaEngine<float>::lend();
template StateArrays CudaEngine<double>::lend();
template void CudaEngine<float>::take_written();
template void CudaEngine<double>::take_written();
template bool CudaEngine<float>::keep_apart();
template bool CudaEngine<double>::keep_apart();
template void CudaEngine<float>::come_together();
template void CudaEngine<double>::come_together();
template bool CudaEngine<float>::take_back(bool);
template bool CudaEngine<double>::take_back(bool);
template std::unique_ptr<KeptState> CudaEngine<float>::keep(std::unique_ptr<KeptState>) const;
template std::unique_ptr<KeptState> CudaEngine<double>::keep(std::unique_ptr<KeptState>) const;
template void CudaEngine<float>::bring_back(const KeptState&);
template void CudaEngine<double>::bring_back(const KeptState&);

}  // namespace tri::cuda
