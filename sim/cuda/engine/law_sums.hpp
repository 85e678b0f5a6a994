#pragma once
/// The sums of a pair law over all pairs, and of a triple law over all triples, on the device: each pair or triple is
/// computed once, on any block-space map of its domain, and acts on all of its bodies. pair_tile.cuh and
/// triple_tile.cuh have the kernels.
///
/// fast: sums in Real within a tile and float atomics over tiles, so the last bits vary from run to run. ordered:
/// 64-bit fixed-point sums, bit-equal over runs, maps and blocks (not equal to the cpu backend's bits: the device's own
/// reciprocal roots are used, which are deterministic).

#include <functional>
#include <optional>

#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/cuda/runtime/ranks.hpp"

namespace tri::cuda {

/// Device memory of ordered sums, in bytes; 0 for fast ones.
u64 ordered_sums_bytes(const EngineConfig& config, u64 n);
/// Device memory that a PairForces or a TripleForces takes beside the state and the output, in bytes; tables of maps
/// not counted.
u64 pair_forces_bytes(const EngineConfig& config, u64 n);
u64 triple_forces_bytes(const EngineConfig& config, u64 n);

/// Where kernels add the sums over n bodies: the output itself for fast ones, 64-bit words for ordered ones.
template <class Real>
class SumMemory {
 public:
  SumMemory() = default;
  /// Allocates, for ordered sums only.
  SumMemory(Accumulate accumulate, u32 n, cudaStream_t stream);

  bool ordered() const { return left_.size() > 0; }
  /// The target of one evaluation. Enqueues zeros for fast sums, out[size]; size may be 0.
  PairSums<Real> begin(Vec4<Real>* out, std::size_t size, cudaStream_t stream);
  /// Enqueues the end of ordered sums, which become out[n]; before that they are added up over the ranks, if any.
  void finish(const PairSums<Real>& sums, cudaStream_t stream, DeviceRanks* ranks = nullptr);
  /// Enqueues the zeros that ordered sums begin with, after an evaluation that was ended on the way.
  void reset(cudaStream_t stream);
  /// Whether terms of an ordered sum left the fixed-point range since the last call, which makes the sums of their
  /// bodies NaN. Waits for the stream. Always false for fast sums.
  bool left_range(cudaStream_t stream);

 private:
  DeviceBuffer<unsigned long long> bins_, left_;
  DeviceBuffer<u32> broken_;
};

/// What both classes below share. Belongs to the device it was made on, and to one host thread at a time. For one
/// field, configuration and number of bodies; make another when any of them changes. With `ranks`, which must outlive
/// this object, every rank makes the same calls and computes a share of the grids; each gets the sums of all.
template <class Real>
class LawSums {
 public:
  u32 block() const { return block_; }  ///< tile side in bodies
  /// Whether an evaluation is cut into slices, so that a progress sink watches it (launches.hpp).
  bool in_slices() const { return slices_ > 1; }
  /// Whether the sums are those of kernels/tensor.
  bool on_tensor_cores() const { return on_tensor_cores_; }
  u64 blocks_launched() const { return work_.launched; }
  u64 blocks_useful() const { return work_.useful; }  ///< see Prepared

  /// With ranks, each calls it once, after this object was made on all of them. Throws BackendError if devices chose
  /// tiles of their own.
  void agree() const;

  /// To be called before evaluations, with their number: where sums are faster after sorting the bodies in space,
  /// enqueues that every kSortEvery evaluations. The sums are right without it. Not while the stream is being captured.
  void keep_sorted(cudaStream_t stream, const DeviceState<Real>& state, u32 evaluations);

  /// Enqueues the sums over all pairs or triples: out[n] becomes (x, y, z, e), accelerations for gravity, else forces,
  /// in Real. Under fast sums of Axilrod-Teller e is a share of their energy, which is the sum of the shares; else it
  /// is 0. No host wait (but with in_slices() under a progress sink, which may end it), no allocation: may be captured
  /// into a graph, which this object must outlive. One stream at a time. A term that is infinite or not a number makes
  /// the sums of its bodies not finite (under `ordered` see left_range()). flags: those of EventTimer.
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state, Vec4<Real>* out,
               unsigned flags = cudaEventRecordDefault);

  /// Time of this rank's tiles in the last evaluation, in ms, without the exchange of sums. Waits for them. 0 for one
  /// rank, and before there was one.
  double own_ms() { return evaluated_ ? own_timer_->elapsed_ms() : 0; }

  /// As SumMemory::left_range().
  bool left_range(cudaStream_t stream) { return sums_.left_range(stream); }

 protected:
  /// Makes `device` current.
  LawSums(const ForceField& field, const EngineConfig& config, u32 n, int device, DeviceRanks* ranks);
  /// This rank's share of work in so many slices.
  GridCut cut_of(u32 slices) const;
  /// Enqueues the exchange of partials_ among the ranks, if any: each sum is that of one rank, so no bit changes.
  void share_partials(cudaStream_t stream);
  /// The same, and their total over all blocks. Waits.
  PairEnergy total_of_partials(cudaStream_t stream);
  /// Throws MemoryError when bytes_of(config, n) are not free.
  void require_memory(const EngineConfig& config, u64 (*bytes_of)(const EngineConfig&, u64)) const;
  /// Allocates what the work, in so many slices, and the energy need, with `partials` sums of `energies` energies. Fast
  /// sums are those of `copies` copies of the bodies, or for 0 go to the output itself. Waits.
  void prepare(PairWork<Real> work, u32 slices, const EngineConfig& config, u32 block, u32 copies, u32 partials,
               u32 energies);

  /// Evaluations between two sorts: a sort takes a tenth of the time of one at n = 65,536, and in 16 steps bodies move
  /// much less than a tile.
  static constexpr u32 kSortEvery = 16;

  ForceField field_;
  DeviceRanks* ranks_;
  u32 n_, block_ = 0, slices_ = 1;
  bool on_tensor_cores_ = false;
  bool clears_ = true;  ///< the work adds to fast sums, else it writes them
  std::function<void(cudaStream_t, const DeviceState<Real>&)> sort_;  ///< empty: no sorting
  u32 since_sort_ = kSortEvery;                                       ///< evaluations
  PairWork<Real> work_;
  std::optional<EventTimer> own_timer_;  ///< of several ranks
  bool evaluated_ = false;               ///< it was started
  SumMemory<Real> sums_;
  DeviceBuffer<Vec4<Real>> copies_;           ///< [copies, n]
  DeviceBuffer<double> partials_, energies_;  ///< scratch of energies; no other call uses them
};

template <class Real>
class PairForces : public LawSums<Real> {
 public:
  /// field.pair: a law that is summed over all pairs. config.precision is that of Real; config.pair_block 0 = the
  /// choice for this n and device, else one of kPairTiles (pairs.hpp); wide ordered sums (gravity in float32 from
  /// kOrderedWide bodies on) take 512, 1024 and 1536. Throws ConfigError (a map's refusal, a block that is not a tile
  /// side, a thread-space map), MemoryError (predicted), CudaError; for a typed law, whose kernel may be compiled here,
  /// as runtime_kernel() does. Allocates, uploads tables and waits for them; nothing later allocates.
  PairForces(const ForceField& field, const EngineConfig& config, u32 n, int device, DeviceRanks* ranks = nullptr);

  /// From the positions as they are rounded to Real, all arithmetic in double, in an order that does not vary; by a
  /// tree to 1e-8. Waits.
  PairEnergy energy(cudaStream_t stream, const DeviceState<Real>& state);

  /// Whether the sums are those of a tree, which graphs cannot hold.
  bool by_tree() const { return static_cast<bool>(met_); }
  /// By a tree, of the last evaluation, for which the stream must have been waited.
  TreeMeetings met() const { return met_(); }
  /// By a tree, after enqueue(): see TreeGravity::falls.
  void enqueue_falls(cudaStream_t stream, unsigned long long* most) const { falls_(stream, most); }

 private:
  PairEnergy tree_energy(cudaStream_t stream, const DeviceState<Real>& state);

  TriangleMapId map_;
  std::function<TreeMeetings()> met_;  ///< empty: all pairs, one by one
  std::function<void(cudaStream_t, unsigned long long*)> falls_;
};

template <class Real>
class TripleForces : public LawSums<Real> {
 public:
  /// field.triple: axilrod_teller, or typed, which has tiles alone. config.triple_block 0 = the choice for this n, else
  /// one of kTripleTiles, or of kTripleBlocks for the papers' kernel with one triple a thread (fast sums in float32).
  /// By config.arithmetic they are products on tensor cores (sim/cuda/kernels/triples.hpp), over
  /// config.pair_map. Otherwise as PairForces; throws ConfigError for any other triple law too.
  TripleForces(const ForceField& field, const EngineConfig& config, u32 n, int device, DeviceRanks* ranks = nullptr);

  /// The potential energy and the virial of all triples, as for PairForces. Waits.
  PairEnergy energies(cudaStream_t stream, const DeviceState<Real>& state);
  double energy(cudaStream_t stream, const DeviceState<Real>& state) { return energies(stream, state).potential; }
};

extern template class SumMemory<float>;
extern template class SumMemory<double>;
extern template class LawSums<float>;
extern template class LawSums<double>;
extern template class PairForces<float>;
extern template class PairForces<double>;
extern template class TripleForces<float>;
extern template class TripleForces<double>;

}  // namespace tri::cuda
