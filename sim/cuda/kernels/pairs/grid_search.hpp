#pragma once
/// Overlapping pairs through a uniform grid: the broad phase for many spheres. Decides each pair exactly as the kernels
/// of all pairs do (collision_pair.cuh), so the contacts are the same. How it is done stands in grid_search.cu.

#include "sim/backend/broad_phase.hpp"
#include "sim/cuda/kernels/pairs/collision.hpp"

namespace tri::cuda {

/// Bodies from which on the grid is faster than all pairs, where nothing was measured (device_tuning.hpp): what
/// bench --tune finds for float32 on an H200.
inline constexpr u64 kGridBodies = 8192;

/// Rows of a warp's share of a cell: 32 bodies at most.
struct CellStrip {
  u32 cell;
  u32 strip;  ///< bodies 32 strip, 32 strip + 1, ... of the cell
};

/// Device memory of a search over n bodies; not owned.
template <class Real>
struct GridArrays {
  u32* cell;             ///< [n] of each body
  u32* slot;             ///< [n] its position within the cell
  u32* begin;            ///< [cells + 1] first body of each cell in sorted order
  Sphere<Real>* sorted;  ///< [n] by cell
  u32* body;             ///< [n] who stands there
  CellStrip* strips;     ///< [grid_strips(n, cells)]
  u32* strip_count;      ///< [1]
  void* scan;            ///< [grid_scan_bytes(cells)] bytes
};

/// Most strips that n bodies in so many cells can make.
constexpr u64 grid_strips(u64 n, u64 cells) { return (n < cells ? n : cells) + n / 32; }

/// Scratch memory of the scan over cells, in bytes. Throws CudaError.
u64 grid_scan_bytes(u32 cells);

/// Enqueues the search of overlaps among spheres[n]. map: how the pairs within a cell are laid on the lanes of a warp;
/// bb, fold, and for any other name lambda. `out` as for prepare_collision_tiles(). image: of the box. candidates[1]:
/// pairs looked at are added to it. May be captured.
template <class Real>
void enqueue_grid_search(cudaStream_t stream, TriangleMapId map, const CellGrid<Real>& grid, u32 n,
                         const Sphere<Real>* spheres, const GridArrays<Real>& arrays, const CollisionOutput& out,
                         const laws::NearestImage<Real>& image, unsigned long long* candidates);

}  // namespace tri::cuda
