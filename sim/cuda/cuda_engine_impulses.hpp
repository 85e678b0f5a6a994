#pragma once
/// Impulses between overlapping spheres at the end of a step: which pairs overlap, and their resolution in order.

#include "sim/cuda/device_buffer.hpp"
#include "sim/cuda/kernels/step_impulses.hpp"
#include "sim/engine_config.hpp"

namespace tri::cuda {

/// Device memory that Impulses takes for n bodies at first, in bytes.
template <class Real>
u64 impulse_bytes(u64 n);

/// On the device it was made on. The list of overlaps has room for a few contacts a body, which no scene of spheres
/// that have not run into each other passes; where one does, grow() makes room and the step goes on.
template <class Real>
class Impulses {
 public:
  /// Throws ConfigError (block, map's refusal), MemoryError (predicted), CudaError. Waits for its uploads.
  Impulses(const EngineConfig& config, const Box& box, u32 n, cudaStream_t stream);

  /// Tile side of the search in bodies.
  u32 block() const { return block_; }
  /// What the moves before must fill: StepArrays::spheres.
  Sphere<Real>* spheres() { return spheres_.data(); }

  /// Finds the overlaps of spheres() and resolves them on the velocities and positions of `arrays`. May be captured.
  void enqueue(cudaStream_t stream, const StepArrays<Real>& arrays, const laws::ImpulseRule<Real>& rule, u32 segment);

  /// Makes the list as long as the last search asks for. Waits. What was captured before is void.
  void grow(cudaStream_t stream);

 private:
  void prepare(u64 capacity);

  EngineConfig config_;
  laws::NearestImage<Real> image_;
  u32 n_, block_ = 0;
  bool tiles_ = false;
  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_, turn_;
  DeviceBuffer<uint2> pairs_;
  Prepared search_;
};

extern template class Impulses<float>;
extern template class Impulses<double>;

}  // namespace tri::cuda
