#pragma once
/// Overlapping pairs through a uniform grid: the broad phase for many spheres. Tests each pair exactly as the all-pairs
/// kernels do (collision_pair.cuh), so the contacts are the same. grid_search.cu describes the algorithm.

#include "sim/backend/broad_phase.hpp"
#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

/// Bodies from which the grid is faster than all pairs, for devices without measurements (device_tuning.hpp): the
/// result of bench --tune for float32 on an H200.
inline constexpr u64 kGridBodies = 8192;

/// A warp's share of a cell: at most 32 bodies.
struct CellStrip {
  u32 cell;
  u32 strip;  ///< bodies 32 strip, 32 strip + 1, ... of the cell
};

/// A part of a search that several ranks share: each has the bodies of successive cells, about as many as any other.
struct GridShare {
  u32 rank = 0, ranks = 1;
};

/// What this rank's bodies are, where ranks share a search.
struct GridDomain {
  BodyRange own;      ///< their range in sorted order
  u32 layer, layers;  ///< of cells, on from `layer`, modulo their number: all whose strips may meet one of the bodies
};

/// Device memory of a search over n bodies; not owned.
template <class Real>
struct GridArrays {
  u32* cell;             ///< [n] the cell of each body
  u32* slot;             ///< [n] its index within the cell
  u32* begin;            ///< [cells + 1] first body of each cell in sorted order
  Sphere<Real>* sorted;  ///< [n] in sorted order
  u32* body;             ///< [n] body at each sorted index; null: a list of pairs shall have sorted indices
  CellStrip* strips;     ///< [grid_strips(n, cells)]
  u32* strip_count;      ///< [1]
  void* scan;            ///< [grid_scan_bytes(cells)] bytes
  GridDomain* domain;    ///< [1]; null for one rank
};

/// The largest number of strips that n bodies in this many cells can need.
constexpr u64 grid_strips(u64 n, u64 cells) { return (n < cells ? n : cells) + n / 32; }

/// Scratch memory of the scan over cells, in bytes. Throws CudaError.
u64 grid_scan_bytes(u32 cells);

/// The scan over so many cells, after which begin[c] is the number of bodies in the cells before c. `begin` and `scan`
/// as in GridArrays.
void enqueue_cell_scan(cudaStream_t stream, u32 cells, u32* begin, void* scan);

/// The last part of a search, for bodies sorted by their cells, of which there are `bodies` at most: `arrays` are
/// filled but for the strips. `cells` is the number of cells that `begin` has; with a domain, its layer is the first of
/// them. Otherwise as below.
template <class Real>
void enqueue_strip_search(cudaStream_t stream, TriangleMapId map, const CellGrid<Real>& grid, u32 cells, u32 bodies,
                          const GridArrays<Real>& arrays, const CollisionOutput& out,
                          const laws::NearestImage<Real>& image, unsigned long long* candidates);

/// Enqueues the search for overlaps among spheres[n]. map: assigns the pairs within a cell to the lanes of a warp; bb,
/// fold, and lambda for any other id. `out` as for prepare_collision_tiles(). image: that of the box. Adds the number
/// of pairs tested to candidates[1]. May be captured.
///
/// Of several ranks each finds the pairs of its bodies among themselves and with others, which have the mark kForeign
/// in `out`; out.per_body must be null. Tested pairs are counted by one rank each.
template <class Real>
void enqueue_grid_search(cudaStream_t stream, TriangleMapId map, const CellGrid<Real>& grid, u32 n,
                         const Sphere<Real>* spheres, const GridArrays<Real>& arrays, const CollisionOutput& out,
                         const laws::NearestImage<Real>& image, unsigned long long* candidates,
                         const GridShare& share = {});

}  // namespace tri::cuda
