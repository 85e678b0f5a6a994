#pragma once
/// The forces of Axilrod and Teller's potential on the device: every triple is met once, on any tetrahedral map, and
/// acts on all three of its bodies. fast and ordered as in pair_forces.hpp; see kernels/triple_tile.cuh for how.

#include <cuda_runtime_api.h>

#include <memory>

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Device memory that a TripleForces takes beside the state and the output, in bytes; tables of maps not counted.
u64 triple_forces_bytes(const EngineConfig& config, u64 n);

/// For one law, configuration and number of bodies; make another when any of them changes. Belongs to the device it was
/// made on, and to one host thread at a time.
template <class Real>
class TripleForces {
 public:
  /// config.precision is that of Real; config.triple_block 0 = the choice for this n, else one of kTripleTiles, or of
  /// kTripleBlocks for the papers' kernel with one triple a thread (fast sums in float32). Throws ConfigError (a map's
  /// refusal, a block that is none), MemoryError (predicted), CudaError. Nothing later allocates.
  TripleForces(const AxilrodTellerParams& law, const EngineConfig& config, u32 n, int device);
  TripleForces(TripleForces&&) noexcept;
  TripleForces& operator=(TripleForces&&) noexcept;
  ~TripleForces();

  /// Tile side in bodies.
  u32 block() const;
  u64 blocks_launched() const;
  u64 blocks_useful() const;

  /// Enqueues the forces of all triples: out[n] becomes (x, y, z, e), where e, under fast sums, is a share of the
  /// triples' energy: their sum is the whole. Under ordered sums it is 0. May be captured into a graph, which this
  /// object must outlive. One stream at a time. Two bodies at one position make the sums of bodies not finite (under
  /// `ordered` see left_range()).
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out);

  /// Whether terms of an ordered sum left the fixed-point range since the last call. Waits. False for fast sums.
  bool left_range(cudaStream_t stream);

  /// The potential energy of all triples from positions as they are rounded to Real, all arithmetic in double, in an
  /// order that does not vary. (Their virial is nine times that.) Waits.
  double energy(cudaStream_t stream, const DeviceState<Real>& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class TripleForces<float>;
extern template class TripleForces<double>;

}  // namespace tri::cuda
