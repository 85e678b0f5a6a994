#pragma once
/// The device memory and the launches that PairForces and TripleForces have in common.
///
/// fast: sums in Real within a tile and float atomics over tiles, so the last bits vary from run to run. ordered:
/// 64-bit fixed-point sums, bit-equal over runs, maps and blocks (not equal to the cpu backend's bits: the device's own
/// reciprocal roots are used, which are deterministic).

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Device memory of ordered sums, in bytes; 0 for fast ones.
u64 ordered_sums_bytes(const EngineConfig& config, u64 n);

/// Belongs to the device it was made on, and to one host thread at a time.
template <class Real>
class LawSums {
 public:
  u32 block() const { return block_; }  ///< tile side in bodies
  u64 blocks_launched() const { return work_.launched; }
  u64 blocks_useful() const { return work_.useful; }  ///< see PreparedLaunch

  /// Whether terms of an ordered sum left the fixed-point range since the last call, which makes the sums of their
  /// bodies NaN. Waits for the stream. Always false for fast sums.
  bool left_range(cudaStream_t stream);

 protected:
  /// Makes `device` current.
  LawSums(const EngineConfig& config, u32 n, int device);

  bool ordered() const { return accumulate_ == Accumulate::ordered; }
  /// Allocates what the work and the energy need, with `partials` sums of `energies` energies. Waits.
  void prepare(PairWork<Real> work, u32 block, u32 partials, u32 energies);
  /// Enqueues all launches: fast sums are added to fast_out, ordered ones become out[n].
  void launch(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* fast_out, Vec4<Real>* out);

  Accumulate accumulate_;
  u32 n_, block_ = 0;
  PairWork<Real> work_;
  DeviceBuffer<double> partials_, energies_;  ///< scratch of energies; no other call uses them

 private:
  DeviceBuffer<unsigned long long> bins_, left_;
  DeviceBuffer<u32> broken_;
};

extern template class LawSums<float>;
extern template class LawSums<double>;

}  // namespace tri::cuda
