#pragma once
/// Contacts on a device: the search, lists that grow, domains of several ranks.
///
/// Finds overlapping spheres of a state as a list in device memory: by tiles of all pairs or through a uniform grid,
/// with the same result. The list has room for a few contacts per body, which is enough for spheres that barely
/// penetrate; the caller handles overflow (grow()).

#include <array>

#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/contacts.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// Pairs that a list has room for at first, for each body: equal spheres that touch but do not overlap have at most 12
/// neighbours, 6 pairs per body.
inline constexpr u64 kListedPairs = 8;

/// Initial device memory of a search over n bodies on the current device, in bytes.
template <class Real>
u64 overlap_search_bytes(const EngineConfig& config, u64 n);

/// Bound to the device it was created on; use from one host thread at a time.
template <class Real>
class OverlapSearch {
 public:
  /// `share` is for the grid; without it this rank finds all pairs. alone: whether a progress sink may end a search.
  ///
  /// Takes the grid's extent from positions and radii; other positions of the same bodies may follow. Throws
  /// ConfigError (block, the map's reason, a grid for a box too small for one), MemoryError (predicted), CudaError.
  /// Waits for its uploads.
  OverlapSearch(const Bodies& bodies, const Box& box, const EngineConfig& config, cudaStream_t stream,
                const GridShare& share = {}, bool alone = true);

  /// Tile side in bodies; 0 with the grid, which has no tiles.
  u32 block() const { return block_; }
  bool uses_grid() const { return grid_; }
  /// Only with uses_grid().
  const CellGrid<Real>& grid() const { return cells_; }
  /// Whether the list has the pairs of this rank's bodies alone.
  bool is_shared() const { return domain_.size() > 0; }
  /// Whether all pairs are tested in tiles, by the fast kernel.
  bool uses_tiles() const { return tiles_; }
  /// As LawSums::in_slices().
  bool in_slices() const { return slices_ > 1; }
  /// The spheres of the last enqueue(): x, y, z, r.
  Sphere<Real>* spheres() { return spheres_.data(); }

  /// Finds the overlaps of the state's spheres. Asynchronous, no allocation: may be captured.
  void enqueue(cudaStream_t stream, const DeviceState<Real>& state);
  /// The same for spheres() as filled by the caller.
  void enqueue_spheres_as_they_are(cudaStream_t stream);

  OverlapList list() { return {count_.data(), pairs_.data(), pairs_.size()}; }
  /// Overlapping pairs in the last search. Synchronizes.
  u64 found(cudaStream_t stream) const { return count_.download(stream)[0]; }
  /// Pairs tested in the last search: all of them, or those in neighbouring cells, of which ranks that share the search
  /// count a part each. Synchronizes.
  u64 looked_at(cudaStream_t stream) const;
  /// Grows the list to the last search's count plus a quarter, if that is more. Synchronizes; discards the list's
  /// content and invalidates captured work.
  void grow(cudaStream_t stream);

 private:
  void make_grid(const Bodies& bodies, const Box& box);
  void prepare(u64 capacity);

  EngineConfig config_;
  GridShare share_;
  bool alone_;
  u32 n_, block_ = 0;
  bool grid_, tiles_ = false;
  laws::NearestImage<Real> image_;
  DeviceBuffer<Sphere<Real>> spheres_;
  DeviceBuffer<unsigned long long> count_, candidates_;
  DeviceBuffer<uint2> pairs_;
  PreparedLaunch search_;  ///< of all pairs
  u32 slices_ = 1;         ///< of that

  CellGrid<Real> cells_;
  DeviceBuffer<u32> cell_, slot_, begin_, body_, strip_count_;
  DeviceBuffer<Sphere<Real>> sorted_;
  DeviceBuffer<CellStrip> strips_;
  DeviceBuffer<unsigned char> scan_;
  DeviceBuffer<GridDomain> domain_;  ///< empty for one rank
};

extern template class OverlapSearch<float>;
extern template class OverlapSearch<double>;

// Spheres in contact: which overlap (contacts.hpp), and their response, by spring and dashpot or by impulses.
//
// Forces are summed over the list of overlapping pairs, not over tiles of all pairs: testing a pair costs nine
// instructions, its force fifty, and few pairs touch. The sums are also the same for every broad phase.

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

// Spheres in contact by springs, divided among ranks: each moves its own bodies and sums their forces, with copies of
// those around them (sim/cuda/kernels/contacts.hpp). A rank's bodies lie in successive cells of the grid; as many as
// any other's at first, until they have moved so much that the engine divides them again.

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
