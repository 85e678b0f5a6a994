#pragma once
/// Spheres in contact: which overlap (overlap_search.hpp), and their response, by spring and dashpot or by impulses.
///
/// Forces are summed over the list of overlapping pairs, not over tiles of all pairs: testing a pair costs nine
/// instructions, its force fifty, and few pairs touch. The sums are also the same for every broad phase.

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/kernels/bodies/step_impulses.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::cuda {

/// Initial device memory of Contacts for n bodies, in bytes.
template <class Real>
u64 contacts_bytes(const ForceField& field, const EngineConfig& config, u64 n);

/// Bound to the device it was created on; use from one host thread at a time.
template <class Real>
class Contacts {
 public:
  /// field.pair is contact. bodies and exceptions: as for OverlapSearch. With `ranks`, which must outlive this object,
  /// every rank makes the same calls: springs are shared through the grid, and without it computed by the first rank;
  /// impulses are computed by each.
  Contacts(const ForceField& field, const Bodies& bodies, const EngineConfig& config, cudaStream_t stream,
           DeviceRanks* ranks = nullptr);

  /// As LawSums::agree().
  void agree() const;

  u32 block() const { return search_.block(); }
  bool uses_grid() const { return search_.uses_grid(); }
  bool uses_tiles() const { return search_.uses_tiles(); }
  bool in_slices() const { return search_.in_slices(); }
  /// Whether ranks share springs, through this grid.
  bool is_shared() const { return search_.is_shared(); }
  const CellGrid<Real>& grid() const { return search_.grid(); }

  /// Writes to out[n] the spring and dashpot forces (x, y, z, 0) on the spheres of the state. fault flag and segment as
  /// for enqueue_contact_forces(). May be captured.
  void enqueue_forces(cudaStream_t stream, const DeviceState<Real>& state, FaultFlag* fault_flag, u32 segment,
                      Vec4<Real>* out);
  /// Applies impulses between overlapping spheres of `arrays`. May be captured.
  void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const laws::ImpulseRule<Real>& rule,
                        u32 segment);

  /// As OverlapSearch::grow().
  void grow(cudaStream_t stream) { search_.grow(stream); }
  /// Finds the contacts of the state and grows the list if necessary. Returns true if it grew on any rank, which
  /// invalidates captured work. Synchronizes.
  bool search(cudaStream_t stream, const DeviceState<Real>& state);
  /// Writes to counts[n], initially zero, the number of each body's contacts from the last search().
  void enqueue_counts(cudaStream_t stream, float* counts) { enqueue_contact_counts(stream, search_.list(), counts); }
  /// The energy of the spring and dashpot contacts from the last search(); impulses have none. Synchronizes.
  PairEnergy energy(cudaStream_t stream, const DeviceState<Real>& state);
  /// Pairs tested in the last search. Synchronizes.
  u64 looked_at(cudaStream_t stream) const;
  /// As SumMemory::left_range().
  bool left_range(cudaStream_t stream) { return sums_.left_range(stream); }

 private:
  ForceField field_;
  DeviceRanks* ranks_;
  Accumulate accumulate_;
  u32 n_, blocks_ = 0;
  OverlapSearch<Real> search_;
  SumMemory<Real> sums_;
  DeviceBuffer<unsigned long long> energy_words_, turn_;
  DeviceBuffer<u32> round_, waiting_, deep_;
  DeviceBuffer<double> energy_;
};

extern template class Contacts<float>;
extern template class Contacts<double>;

}  // namespace tri::cuda
