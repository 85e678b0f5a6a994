#pragma once
/// Bodies in the order of a Hilbert curve.

#include "sim/cuda/kernels/pairs/device_state.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"

namespace tri::cuda {

/// The order of n bodies, and what enqueue_body_order() needs to find it.
class BodyOrder {
 public:
  /// Throws CudaError and MemoryError.
  explicit BodyOrder(u32 n);
  static u64 bytes(u64 n);

  /// [n]: the index of the body that is the s-th on the curve.
  u32* data() { return order_.data(); }
  /// Puts them as they are given. Waits.
  void take_any();

 private:
  friend void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, BodyOrder& to);

  DeviceBuffer<u32> order_, identity_, box_;
  DeviceBuffer<u64> keys_, sorted_;
  DeviceBuffer<unsigned char> sort_;
};

/// Finds the order of the bodies along the curve. It depends on the positions alone; bodies in the same cell (2^-16 of
/// the cloud's extent) keep their order. May be captured.
void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, BodyOrder& to);

}  // namespace tri::cuda
