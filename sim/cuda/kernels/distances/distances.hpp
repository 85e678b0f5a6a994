#pragma once
/// All-pairs Euclidean distances on the device.
///
/// points: a PointArray, or [vectors(features), n] vectors of four features each, zero-padded: vec4 q of point p is at
/// [q * n + p] (pack.hpp packs them). out: element count by layout, see sim/model/compute.hpp: condensed n(n-1)/2,
/// lower n(n+1)/2, square n*n. Writes every element of out once. Needs no memory besides points and out (lambda-lut:
/// its table).

#include <cstdint>

#include "sim/cuda/kernels/distances/point_array.hpp"
#include "sim/cuda/kernels/pairs/vec4.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/model/compute.hpp"

namespace tri::cuda {

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
