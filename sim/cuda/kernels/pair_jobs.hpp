#pragma once
/// Overlapping pairs of spheres (3-D) or intervals (1-D) on the device: |d| <= r_i + r_j, with the same rounding as
/// sim/laws/overlap.hpp, for every map.

#include <cstdint>

#include "sim/backend/broad_phase.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/compute.hpp"

namespace tri::cuda {

/// Tile sides of the fast kernel: large for throughput, small so that few bodies still fill the device.
inline constexpr u32 kCollisionTileLarge = 512;
inline constexpr u32 kCollisionTileSmall = 128;

/// The faster tile for n bodies. (Measured on an H200: equal at 131,072.)
constexpr u32 collision_tile_for(u64 n) { return n < 131072 ? kCollisionTileSmall : kCollisionTileLarge; }

/// The fast kernel with any block-space map. tile: one of the two above. image: that of the box, in 3-D. slices: the
/// number of launches to split the work into.
template <class Real>
PreparedLaunch prepare_collision_tiles(TriangleMapId map, u32 n, u32 tile, u32 dimensions, const Sphere<Real>* spheres,
                                       const CollisionOutput& out, const laws::NearestImage<Real>& image = {},
                                       u32 slices = 1);

/// The same kernel in 3-D, compiled for the map lambda alone: shows the cost of selecting the map at run time.
PreparedLaunch prepare_collision_lambda_alone(u32 n, u32 tile, const Sphere<float>* spheres,
                                              const CollisionOutput& out);

/// The papers' kernel: one thread per pair, rho x rho threads per block, rho 1..32, shared-memory tiles in block space.
template <class Real>
PreparedLaunch prepare_collision_elements(TriangleMapId map, u32 n, u32 rho, u32 dimensions,
                                          const Sphere<Real>* spheres, const CollisionOutput& out,
                                          const laws::NearestImage<Real>& image = {});

// Overlapping pairs through a uniform grid: the broad phase for many spheres. Tests each pair exactly as the all-pairs
// kernels do (collisions.cuh), so the contacts are the same. grid_search.cu describes the algorithm.

/// Bodies from which the grid is faster than all pairs, for devices without measurements (kernel_choice.hpp): the
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

// All-pairs Euclidean distances on the device.
//
// points: a PointArray, or [vectors(features), n] vectors of four features each, zero-padded: vec4 q of point p is at
// [q * n + p] (jobs.hpp packs them). out: element count by layout, see sim/model/compute.hpp: condensed n(n-1)/2,
// lower n(n+1)/2, square n*n, blocks with their padding. Writes every element of out. Needs no memory besides points
// and out (lambda-lut: its table).

/// [vectors(features), n] vectors.
template <class Real>
PointArray<Real> packed_points(const Vec4<Real>* points, u32 n, u32 features) {
  return {reinterpret_cast<const Real*>(points), 4, 4 * u64{n}, features, true};
}

/// [n, features] values, row by row, aligned as one of them.
template <class Real>
PointArray<Real> row_points(const Real* values, u32 features) {
  const bool whole = features % 4 == 0 && reinterpret_cast<std::uintptr_t>(values) % alignof(Vec4<Real>) == 0;
  return {values, features, 4, features, whole};
}

/// Rows first <= i < last of the output.
struct DistanceRowRange {
  u32 first, last;
};

/// The fast kernel: tiles of side kDistanceTile on any block-space map. Of the rows the map gives the pairs of points
/// within the range; the others, a rectangle beside them, need none. out: the first value of the first row.
template <class Real>
PreparedLaunch prepare_distance_tiles(TriangleMapId map, u32 n, const DistanceRowRange& rows, DistanceLayout layout,
                                      const PointArray<Real>& points, Real* out);
template <class Real>
PreparedLaunch prepare_distance_tiles(TriangleMapId map, u32 n, const DistanceRowRange& rows, u32 features,
                                      DistanceLayout layout, const Vec4<Real>* points, Real* out) {
  return prepare_distance_tiles<Real>(map, n, rows, layout, packed_points(points, n, features), out);
}
template <class Real>
PreparedLaunch prepare_distance_tiles(TriangleMapId map, u32 n, u32 features, DistanceLayout layout,
                                      const Vec4<Real>* points, Real* out) {
  return prepare_distance_tiles<Real>(map, n, {0, n}, features, layout, points, out);
}

/// The work, and zeros in the padding of the layout blocks, which no map writes. out: as above.
template <class Real>
PreparedLaunch with_padding(PreparedLaunch work, u32 n, const DistanceRowRange& rows, DistanceLayout layout, Real* out);

/// The same kernel compiled for the map lambda alone, for up to 4 features: shows the cost of selecting the map at run
/// time.
PreparedLaunch prepare_distance_lambda_alone(u32 n, DistanceLayout layout, const Vec4<float>* points, float* out);

/// The write ceiling: writes `value` to out[words] and does nothing else; each block of 512 threads writes 32 KiB of
/// contiguous memory.
PreparedLaunch prepare_fill(u64 words, u32 value, u32* out);

/// The papers' kernel: one thread per pair, blocks of rho x rho threads, rho 1..32. Block-space maps stage the points
/// of a tile in shared memory; thread-space maps read them from global memory, as in the papers.
template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId map, u32 n, const DistanceRowRange& rows, u32 rho,
                                         DistanceLayout layout, const PointArray<Real>& points, Real* out);
template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId map, u32 n, const DistanceRowRange& rows, u32 rho, u32 features,
                                         DistanceLayout layout, const Vec4<Real>* points, Real* out) {
  return prepare_distance_elements<Real>(map, n, rows, rho, layout, packed_points(points, n, features), out);
}
template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId map, u32 n, u32 rho, u32 features, DistanceLayout layout,
                                         const Vec4<Real>* points, Real* out) {
  return prepare_distance_elements<Real>(map, n, {0, n}, rho, features, layout, points, out);
}

}  // namespace tri::cuda
