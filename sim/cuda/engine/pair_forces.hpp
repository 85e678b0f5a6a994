#pragma once
/// The sums of a pair law over all pairs, on the device: each pair is computed once, on any block-space triangle map,
/// and acts on both of its bodies. See law_sums.hpp for fast and ordered, kernels/pairs/pair_tile.cuh for the kernel.

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::cuda {

/// Device memory that a PairForces takes beside the state and the output, in bytes; tables of maps not counted.
u64 pair_forces_bytes(const EngineConfig& config, u64 n);

/// For one field, configuration and number of bodies; make another when any of them changes.
template <class Real>
class PairForces : public LawSums<Real> {
 public:
  /// field.pair: a law that is summed over all pairs. config.precision is that of Real; config.pair_block 0 = the
  /// choice for this n and device, else one of kPairTiles (pair_tuning.hpp); wide ordered sums (gravity in float32 from
  /// kOrderedWide bodies on) take 512, 1024 and 1536. Throws ConfigError (a map's refusal, a block that is not a tile
  /// side, a thread-space map), MemoryError (predicted), CudaError. Allocates, uploads tables and waits for them;
  /// nothing later allocates.
  PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device);

  /// Enqueues the sums over all pairs: out[n] becomes (x, y, z, 0), accelerations for gravity, else forces, in Real.
  /// No host wait, no allocation: may be captured into a graph, which this object must outlive. One stream at a time.
  /// A term that is infinite or not a number makes the sums of its bodies not finite (under `ordered` see
  /// left_range()).
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out);

  /// From the positions as they are rounded to Real, all arithmetic in double, in an order that does not vary. Waits.
  PairEnergy energy(cudaStream_t stream, const DeviceState<Real>& state);

 private:
  ForceField field_;
};

extern template class PairForces<float>;
extern template class PairForces<double>;

}  // namespace tri::cuda
