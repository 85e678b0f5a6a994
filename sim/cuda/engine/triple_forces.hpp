#pragma once
/// The forces of the Axilrod-Teller potential on the device: each triple is computed once, on any tetrahedral map, and
/// acts on all three of its bodies. See law_sums.hpp for fast and ordered, kernels/triples/triple_tile.cuh for the
/// kernel.

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::cuda {

/// Device memory that a TripleForces takes beside the state and the output, in bytes; tables of maps not counted.
u64 triple_forces_bytes(const EngineConfig& config, u64 n);

/// For one law, configuration and number of bodies; make another when any of them changes.
template <class Real>
class TripleForces : public LawSums<Real> {
 public:
  /// config.precision is that of Real; config.triple_block 0 = the choice for this n, else one of kTripleTiles, or of
  /// kTripleBlocks for the papers' kernel with one triple a thread (fast sums in float32). Throws ConfigError (a map's
  /// refusal, an unknown block), MemoryError (predicted), CudaError. Nothing later allocates.
  TripleForces(const AxilrodTellerParams& law, const EngineConfig& config, u32 n, int device);

  /// Enqueues the forces of all triples: out[n] becomes (x, y, z, e), where e, under fast sums, is a share of the
  /// triples' energy: their sum is the whole. Under ordered sums it is 0. May be captured into a graph, which this
  /// object must outlive. One stream at a time. Two bodies at one position make the sums of bodies not finite (under
  /// `ordered` see left_range()).
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out);

  /// The potential energy of all triples from positions as they are rounded to Real, all arithmetic in double, in an
  /// order that does not vary. (Their virial is nine times that.) Waits.
  double energy(cudaStream_t stream, const DeviceState<Real>& state);

 private:
  AxilrodTellerParams law_;
  DeviceBuffer<Vec4<Real>> copies_;  ///< of fast sums
};

extern template class TripleForces<float>;
extern template class TripleForces<double>;

}  // namespace tri::cuda
