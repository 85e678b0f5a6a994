#pragma once
/// Spheres in contact by springs, divided among ranks: each moves its own bodies and sums their forces, with copies of
/// those around them (kernels/bodies/body_domains.hpp). A rank's bodies lie in successive cells of the grid; as many as
/// any other's at first, until they have moved so much that the engine divides them again.

#include <array>

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/kernels/bodies/body_domains.hpp"
#include "sim/cuda/kernels/bodies/contact_pairs.hpp"

namespace tri::cuda {

/// Every rank makes the same calls, but for the functions that say otherwise. Bound to the device it was created on;
/// use from one host thread at a time. The bodies are in one of two arrays: an evaluation takes them to the other.
template <class Real>
class ContactDomains {
 public:
  /// field.pair is contact, by springs. Allocates nothing. `ranks` must outlive this object.
  ContactDomains(const ForceField& field, const EngineConfig& config, const CellGrid<Real>& grid, u32 n,
                 DeviceRanks& ranks);

  /// Takes this rank's bodies, with their accelerations, from a whole state to array 0. Allocates what they need.
  /// Waits. Throws MemoryError, CudaError, BackendError.
  void divide(cudaStream_t stream, const StepArrays<Real>& whole);
  /// The bodies of all ranks, which each has in `array`, become the whole state of each. Waits.
  void gather(cudaStream_t stream, u32 array, const StepArrays<Real>& whole);

  /// What the kernels of a step work on; local, as all that follow but crowded().
  StepArrays<Real> arrays(u32 array, FaultFlag* fault_flag);
  /// Moves the bodies from `array` to the other one, and sums the forces of springs and dashpots there. Fault::contacts
  /// on a rank: what it has does not fit; `array` has the state still. May be captured. flags: those of EventTimer.
  void enqueue(cudaStream_t stream, u32 array, FaultFlag* fault_flag, u32 segment, unsigned flags);
  /// After Fault::contacts: notes the length that the list needs, for the next divide(). Waits.
  void note_lack(cudaStream_t stream);

  /// Bodies of this rank. Waits for the stream.
  u32 own_bodies(cudaStream_t stream, u32 array) const;
  /// Whether the rank with most bodies has 5 % more than after divide(). Waits for the others.
  bool crowded(cudaStream_t stream, u32 array);
  /// Time of the last evaluation on this rank, in ms, without the exchange. Waits for it. 0 before there was one.
  double own_ms() { return evaluated_ ? own_timer_.elapsed_ms() : 0; }
  /// As SumMemory::left_range().
  bool left_range(cudaStream_t stream) { return sums_.left_range(stream); }

 private:
  BodyRange range(cudaStream_t stream, u32 array) const;
  /// Room for so many bodies, and for so many in a box. This rank alone.
  void allocate(cudaStream_t stream, u32 capacity, u32 box_capacity);
  DomainArrays<Real> domain_arrays(FaultFlag* fault_flag);

  /// An array of bodies.
  struct Place {
    DeviceBuffer<Vec4<Real>> position, velocity;
    DeviceBuffer<u32> body;
    DeviceBuffer<BodyRange> range{1};
    LocalBodies<Real> bodies() { return {position.data(), velocity.data(), body.data(), range.data()}; }
  };

  ForceField field_;
  EngineConfig config_;
  CellGrid<Real> grid_;
  laws::NearestImage<Real> image_;
  u32 n_;
  DeviceRanks& ranks_;
  RankCells own_;
  std::vector<u32> peers_;  ///< their ranks
  u32 capacity_ = 0, box_capacity_ = 0;
  u64 most_bodies_ = 0;  ///< of a rank, after divide()
  u64 list_needs_ = 0;   ///< pairs
  std::array<Place, 2> places_;
  DeviceBuffer<Vec4<Real>> acceleration_, out_;
  SumMemory<Real> sums_;
  DeviceBuffer<RankCells> peer_cells_;
  DeviceBuffer<std::byte> boxes_out_, boxes_in_;
  DeviceBuffer<u32> cell_, slot_, begin_, strip_count_{1};
  DeviceBuffer<unsigned char> scan_;
  DeviceBuffer<Sphere<Real>> sorted_;
  DeviceBuffer<CellStrip> strips_;
  DeviceBuffer<GridDomain> domain_{1};
  DeviceBuffer<unsigned long long> count_{1}, candidates_{1};
  DeviceBuffer<uint2> pairs_;
  EventTimer own_timer_;
  bool evaluated_ = false;
};

extern template class ContactDomains<float>;
extern template class ContactDomains<double>;

}  // namespace tri::cuda
