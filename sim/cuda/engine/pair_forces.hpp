#pragma once
/// The sums of a pair law over all pairs, on the device: every pair is met once, on any block-space triangle map, and
/// acts on both of its bodies.
///
/// fast: sums in Real within a tile and float atomics over tiles, so the last bits vary from run to run. ordered:
/// 64-bit fixed-point sums, bit-equal over runs, maps and blocks (not equal to the cpu backend's bits: the device's own
/// reciprocal roots are used, which are deterministic). See kernels/pair_tile.cuh for both.

#include <cuda_runtime_api.h>

#include <memory>

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Device memory that a PairForces takes beside the state and the output, in bytes; tables of maps not counted.
u64 pair_forces_bytes(const EngineConfig& config, u64 n);

/// For one field, configuration and number of bodies; make another when any of them changes. Belongs to the device it
/// was made on, and to one host thread at a time.
template <class Real>
class PairForces {
 public:
  /// field.pair: gravity or lennard_jones. config.precision is that of Real; config.pair_block 0 = the choice for this
  /// n and device, else one of kPairTiles (pair_tuning.hpp); wide ordered sums (gravity in float32 from kOrderedWide
  /// bodies on) take 512, 1024 and 1536. Throws ConfigError (a map's refusal, a block that is none, a thread-space
  /// map), MemoryError (predicted), CudaError. Allocates, uploads tables and waits for them; nothing later allocates.
  PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device);
  PairForces(PairForces&&) noexcept;
  PairForces& operator=(PairForces&&) noexcept;
  ~PairForces();

  /// Tile side in bodies.
  u32 block() const;
  u64 blocks_launched() const;
  u64 blocks_useful() const;  ///< see PreparedLaunch

  /// Enqueues the sums over all pairs: out[n] becomes (x, y, z, 0), accelerations for gravity, else forces, in Real.
  /// No host wait, no allocation: may be captured into a graph, which this object must outlive. One stream at a time.
  /// A term that is infinite or not a number makes the sums of its bodies not finite (under `ordered` see
  /// left_range()).
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out);

  /// Whether terms of an ordered sum left the fixed-point range since the last call, and the sums of their bodies are
  /// NaN. Waits for the stream. Always false for fast sums.
  bool left_range(cudaStream_t stream);

  /// From the positions as they are rounded to Real, all arithmetic in double, in an order that does not vary. Waits.
  PairEnergy energy(cudaStream_t stream, const DeviceState<Real>& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class PairForces<float>;
extern template class PairForces<double>;

}  // namespace tri::cuda
