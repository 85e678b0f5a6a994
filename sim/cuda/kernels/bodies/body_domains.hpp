#pragma once
/// Bodies divided among ranks. Each rank owns the bodies of successive cells of the grid (grid_search.hpp). Before an
/// evaluation it gets copies of the others in its zone, the layers of cells that its own bodies may touch.
/// body_domains.cu describes an evaluation.
///
/// Functions named enqueue only enqueue; device memory belongs to the caller and must outlive the work.

#include <span>

#include "sim/cuda/kernels/bodies/step.hpp"
#include "sim/cuda/kernels/collisions/grid_search.hpp"

namespace tri::cuda {

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
