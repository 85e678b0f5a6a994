#pragma once
/// Contacts over a list of pairs, and domains of several ranks.
///
/// Kernels over a list of overlapping pairs, one thread per pair: forces of springs and dashpots, contact counts,
/// energy. pair_jobs.hpp and pair_jobs.hpp build the list.

#include <span>

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/kernels/pairs.hpp"

namespace tri::cuda {

/// The list of overlaps in device memory. Where ranks share a search, it has the pairs of this rank's bodies, and
/// bodies of other ranks have the mark kForeign: nothing is added to their sums here.
struct OverlapList {
  unsigned long long* count = nullptr;  ///< [1] pairs that overlap, which may exceed the capacity
  uint2* pairs = nullptr;               ///< [capacity] (i, j), i > j, in no order
  u64 capacity = 0;
};

/// Fills spheres[n] from the current state.
template <class Real>
void enqueue_spheres(cudaStream_t stream, const DeviceState<Real>& state, Sphere<Real>* spheres);

/// Adds the force of each pair of the list to the sums of both bodies. ordered: exact sums (terms.cuh),
/// independent of the order of the list. A list that is too short sets Fault::contacts of this segment if there is a
/// fault flag, and adds nothing.
template <class Real>
void enqueue_contact_forces(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, Accumulate accumulate, const PairSums<Real>& sums,
                            FaultFlag* fault_flag, u32 segment);

/// Adds 1 to counts[i] and counts[j] for each pair of the list; exact below 2^24 contacts per body.
void enqueue_contact_counts(cudaStream_t stream, const OverlapList& list, float* counts);

/// 64-bit words of the exact sums of the energy.
inline constexpr u32 kContactEnergyWords = 2 * (ordered_bins(Precision::fp64) + 1);

/// Sets words[kContactEnergyWords] to the potential energy and the virial of the pairs of the list: positions rounded
/// to Real, arithmetic in float64, exact sums independent of order. Of a pair of two ranks one counts it, so that the
/// words of all ranks may be added up.
template <class Real>
void enqueue_contact_energy(cudaStream_t stream, const ForceField& field, const DeviceState<Real>& state,
                            const OverlapList& list, unsigned long long* words);
/// Writes the energy to result[0] and the virial to result[1].
void enqueue_contact_energy_total(cudaStream_t stream, const unsigned long long* words, double* result);

// Impulses of overlapping spheres on the device, in the order that sim/laws/contact_impulse.hpp fixes.
//
// The collision kernels produce the pairs in arbitrary order; the result must be as if they were resolved one after
// another, sorted by (i, j). Pairs without a common body are independent, so each pair needs to wait only for the
// earlier pairs of its two bodies. In each round every waiting pair requests both bodies; a pair that is first at both
// is resolved. The number of rounds is the length of the longest dependency chain.
//
// Among the pairs of one body the order (i, j), i > j, is that of the *other* body: pairs in which it is i come first,
// by j, and in all others the other body is i. So a request is the number of the other body, with the round in the
// upper 32 bits, later rounds smaller: new requests win over those of earlier rounds, and nothing needs to be cleared.

/// State of the requests, in device memory; initialised by the caller before the first call and not touched after.
struct ImpulseTurns {
  unsigned long long* turn;  ///< [2, n], initially all bits set
  u32* round;                ///< [1] rounds so far, initially 0
  u32* waiting;              ///< [3], initially 0
  u32* deep;                 ///< [1] the last sweep with a deep overlap, initially 0

  /// The count of rounds restarts beyond this; a single call takes fewer rounds than remain.
  static constexpr u32 kMaxRounds = 0xf0000000u;
};

/// Number of blocks of enqueue_impulses() for n bodies, all of them resident at once. Throws CudaError.
template <class Real>
u32 impulse_blocks(u64 n);

/// Resolves all pairs of the list, which is consumed, in the velocities and positions of `arrays`. With more than one
/// sweep also the walls, after each. blocks: impulse_blocks(n). A list that is too short sets Fault::overlaps of this
/// segment and changes nothing.
template <class Real>
void enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays, const OverlapList& list,
                      const ImpulseTurns& turns, u32 blocks, const laws::ImpulseRule<Real>& rule, u32 segment);

// Bodies divided among ranks. Each rank owns the bodies of successive cells of the grid (pair_jobs.hpp). Before an
// evaluation it gets copies of the others in its zone, the layers of cells that its own bodies may touch.
// grid_search.cu describes an evaluation.
//
// Functions named enqueue only enqueue; device memory belongs to the caller and must outlive the work.

/// The cells of a rank. Layers count modulo those of the grid.
struct RankCells {
  u32 low = 0, high = 0;      ///< its own, high excluded
  u32 layer = 0, layers = 0;  ///< its zone: on from `layer`; no layers for a rank without cells
  u32 searched = 0;           ///< the first so many layers of the zone, where its pairs are found from
};

/// The cells of this rank. cuts: [ranks + 1], from enqueue_cut_cells().
RankCells rank_cells(std::span<const u32> cuts, u32 rank, u32 cells_a_layer, u32 layers);
/// Whether two zones have a layer in common. Then the ranks tell each other of their bodies: one of either may have
/// come to the zone of the other.
bool zones_meet(const RankCells& a, const RankCells& b, u32 layers);

/// Bodies in device memory, [capacity] each.
template <class Real>
struct LocalBodies {
  Vec4<Real>* position = nullptr;
  Vec4<Real>* velocity = nullptr;
  u32* body = nullptr;         ///< their numbers
  BodyRange* range = nullptr;  ///< [1] the places of the own ones
};

/// What travels to another rank: room for so many bodies behind their number.
template <class Real>
struct BodyBox {
  u32* count;
  Vec4<Real>* position;
  Vec4<Real>* velocity;
  u32* body;

  TRI_HD BodyBox(std::byte* at, u32 capacity)
      : count(reinterpret_cast<u32*>(at)),
        position(reinterpret_cast<Vec4<Real>*>(at) + 1),
        velocity(position + capacity),
        body(reinterpret_cast<u32*>(velocity + capacity)) {}
  /// A multiple of 256, so that boxes may follow each other.
  TRI_HD static constexpr u64 bytes(u32 capacity) {
    const u64 all = sizeof(Vec4<Real>) + u64{capacity} * (2 * sizeof(Vec4<Real>) + sizeof(u32));
    return (all + 255) / 256 * 256;
  }
};

/// Device memory of the evaluations of one rank. Cells within a zone are numbered on from its first layer.
template <class Real>
struct DomainArrays {
  CellGrid<Real> grid;
  RankCells own;
  const RankCells* peers;  ///< [peer_count] of the ranks whose zones meet this one
  u32 peer_count, box_capacity;
  bool all_peers;        ///< whether those are all other ranks
  u32 capacity;          ///< of LocalBodies, and of this zone
  std::byte* out;        ///< [peer_count] boxes
  std::byte* in;         ///< [peer_count] boxes
  u32* cell;             ///< [capacity + peer_count * box_capacity] of the own bodies, then of those that arrive
  u32* slot;             ///< likewise, the place within the cell
  u32* begin;            ///< [cells + 1]
  void* scan;            ///< [grid_scan_bytes(cells)] bytes
  Sphere<Real>* sorted;  ///< [capacity]
  GridDomain* domain;    ///< [1]
  FaultFlag* fault_flag;

  u32 cells() const { return own.layers > 0 ? own.layers * grid.cells[0] * grid.cells[1] : 1; }
};

/// Writes to cuts[ranks + 1] the cells with which the ranks begin, as many bodies each as can be, and the number of all
/// cells; begin[cells + 1] becomes the number of bodies in the cells before each. Of all n bodies.
template <class Real>
void enqueue_cut_cells(cudaStream_t stream, const CellGrid<Real>& grid, const Vec4<Real>* position, u32 n, u32 ranks,
                       u32* begin, void* scan, u32* cuts);

/// Takes the bodies of this rank's cells, with their accelerations, out of a state of n bodies: to the places from 0
/// on, in no order.
template <class Real>
void enqueue_take_own(cudaStream_t stream, const CellGrid<Real>& grid, const RankCells& cells,
                      const StepArrays<Real>& all, const LocalBodies<Real>& to, Vec4<Real>* acceleration);

/// First half of an evaluation: counts the own bodies that are still in the zone, and fills the boxes for the peers.
template <class Real>
void enqueue_leave(cudaStream_t stream, const DomainArrays<Real>& arrays, const LocalBodies<Real>& from, u32 segment);
/// Second half, after the exchange of the boxes: all bodies of the zone go to `to`, sorted by cells, and arrays.sorted
/// and arrays.domain are filled. What does not fit, or a body that jumped to a rank which is no peer, sets
/// Fault::contacts; `from` then still has the state.
template <class Real>
void enqueue_arrive(cudaStream_t stream, const DomainArrays<Real>& arrays, const LocalBodies<Real>& from,
                    const LocalBodies<Real>& to, u32 segment);

/// So many bodies from these places on, packed: position, velocity, acceleration, number. packed: pack_bytes(count).
template <class Real>
constexpr u64 pack_bytes(u64 count) {
  return count * (3 * sizeof(Vec4<Real>) + sizeof(u32));
}
template <class Real>
void enqueue_pack(cudaStream_t stream, const LocalBodies<Real>& from, const Vec4<Real>* acceleration, u32 first,
                  u32 count, std::byte* packed);
/// The other way, to the places of their numbers in a whole state.
template <class Real>
void enqueue_unpack(cudaStream_t stream, std::byte* packed, u32 count, const StepArrays<Real>& to);

}  // namespace tri::cuda
