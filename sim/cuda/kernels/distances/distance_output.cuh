#pragma once
/// The points as they lie in memory, the output index of the distance of (i, j), i > j, for each layout, and the part
/// of the triangle that a block of rows is.
///
/// condensed is SciPy's order, which is the strict lower triangle read backwards: element (i, j) of the map is the pair
/// of points (n-1-i, n-1-j) at index n(n-1)/2 - 1 - (i(i-1)/2 + j). So in every layout the elements of row i are
/// contiguous in j: forwards for lower and square, backwards for condensed.

#include "sim/cuda/kernels/distances/point_array.hpp"
#include "sim/cuda/kernels/pairs/vec4.hpp"
#include "sim/laws/distance_range.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/distance_layout.hpp"

namespace tri::cuda {

/// Elements of the rows that are computed, begin <= i < end, as the map counts them: those of the output, which
/// condensed has in the other order. `origin` is the output's index of their first value.
struct RowPart {
  u32 begin, end;
  u64 origin;
};

/// Columns from <= j < to beside the triangle of the pairs within a RowPart.
struct ColumnRange {
  u32 from, to;
};

/// Element (i, j) is at index first + step * j, counted from `origin`.
struct RowRun {
  i64 first;
  i64 step;
};

__device__ __forceinline__ RowRun row_run(DistanceLayout layout, u64 n, u64 i, u64 origin) {
  if (layout == DistanceLayout::condensed)
    return {static_cast<i64>(n * (n - 1) / 2 - 1 - i * (i - 1) / 2 - origin), -1};
  return {static_cast<i64>((layout == DistanceLayout::lower ? triangular(i) : i * n) - origin), 1};
}

/// Vector q of point p.
template <class Real>
__device__ __forceinline__ Vec4<Real> vector_of(const PointArray<Real>& points, u32 q, u32 p) {
  const Real* const at = points.values + (q * points.vector_step + p * points.point_step);
  if (points.whole) return *reinterpret_cast<const Vec4<Real>*>(at);
  const u32 here = points.features - 4 * q;
  return {at[0], here > 1 ? at[1] : Real(0), here > 2 ? at[2] : Real(0), here > 3 ? at[3] : Real(0)};
}

/// Adds the squared distance in four features, in one order, so that all kernels round alike.
template <class Real>
__device__ __forceinline__ void add_squares(Real& sum, const Vec4<Real>& p, const Vec4<Real>& q) {
  const Real a = p.x - q.x, b = p.y - q.y, c = p.z - q.z, d = p.w - q.w;
  sum += a * a;
  sum += b * b;
  sum += c * c;
  sum += d * d;
}

/// The same of differences times a power of two (laws/distance_range.hpp).
template <class Real>
__device__ __forceinline__ void add_squares(Real& sum, const Vec4<Real>& p, const Vec4<Real>& q, Real scale) {
  const Real a = (p.x - q.x) * scale, b = (p.y - q.y) * scale, c = (p.z - q.z) * scale, d = (p.w - q.w) * scale;
  sum += a * a;
  sum += b * b;
  sum += c * c;
  sum += d * d;
}

/// The point for index i of the map.
__device__ __forceinline__ u32 point_of(DistanceLayout layout, u32 n, u32 i) {
  return layout == DistanceLayout::condensed ? n - 1 - i : i;
}

/// The approximate root is within 1 ulp of float32 and costs one instruction; the exact one costs more than the rest of
/// the distance.
__device__ __forceinline__ float distance_root(float v) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
  return root;
}
__device__ __forceinline__ double distance_root(double v) { return sqrt(v); }

/// A root that is doubtful, anew: add(sum, scale) adds the squares of all features.
template <class Real, class Add>
__device__ __forceinline__ Real root_again(Real root, Add&& add) {
  using Range = laws::DistanceRange<Real>;
  const Real scale = Range::scale(root);
  Real sum = 0;
  add(sum, scale);
  return distance_root(sum) * Range::unscale(scale);
}

}  // namespace tri::cuda
