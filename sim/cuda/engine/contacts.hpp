#pragma once
/// Spheres in contact, as an engine needs them: which overlap (overlap_search.hpp), and what that does to them, by
/// spring and dashpot or by impulses.
///
/// Forces are summed over the list of overlapping pairs and not over tiles of all pairs: deciding a pair costs nine
/// instructions, its force fifty, and few pairs touch. It also makes the sums the same whichever broad phase found
/// them.

#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/kernels/bodies/step_impulses.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::cuda {

/// Device memory that Contacts takes for n bodies at first, in bytes.
template <class Real>
u64 contacts_bytes(const ForceField& field, const EngineConfig& config, u64 n);

/// On the device it was made on, from one host thread at a time.
template <class Real>
class Contacts {
 public:
  /// field.pair is contact. bodies: as for OverlapSearch, and what that throws.
  Contacts(const ForceField& field, const Bodies& bodies, const EngineConfig& config, cudaStream_t stream);

  u32 block() const { return search_.block(); }
  bool uses_grid() const { return search_.uses_grid(); }

  /// out[n] becomes the forces (x, y, z, 0) of spring and dashpot on the spheres of the state. fault flag and segment
  /// as for enqueue_contact_forces(). May be captured.
  void enqueue_forces(cudaStream_t stream, const DeviceState<Real>& state, FaultFlag* fault_flag, u32 segment,
                      Vec4<Real>* out);
  /// Overlapping spheres of `arrays` exchange impulses. May be captured.
  void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const laws::ImpulseRule<Real>& rule,
                        u32 segment);

  /// As OverlapSearch::grow().
  void grow(cudaStream_t stream) { search_.grow(stream); }
  /// Finds the contacts of the state and makes the list longer where it must be. True when it had to be, and what was
  /// captured before is void. Waits.
  bool search(cudaStream_t stream, const DeviceState<Real>& state);
  /// counts[n], of zeros, becomes how many of the contacts that search() found each body has.
  void enqueue_counts(cudaStream_t stream, float* counts) { enqueue_contact_counts(stream, search_.list(), counts); }
  /// Of the contacts that search() found, by spring and dashpot; impulses have none. Waits.
  PairEnergy energy(cudaStream_t stream, const DeviceState<Real>& state);
  /// Pairs that the last search looked at. Waits.
  u64 looked_at(cudaStream_t stream) const { return search_.looked_at(stream); }
  /// As PairForces::left_range().
  bool left_range(cudaStream_t stream);

 private:
  ForceField field_;
  Accumulate accumulate_;
  u32 n_, blocks_ = 0;
  OverlapSearch<Real> search_;
  DeviceBuffer<unsigned long long> bins_, left_, energy_words_, turn_;
  DeviceBuffer<u32> broken_, round_, waiting_;
  DeviceBuffer<double> energy_;
};

extern template class Contacts<float>;
extern template class Contacts<double>;

}  // namespace tri::cuda
