#pragma once
/// The output index of the distance of (i, j), i > j, for each layout.
///
/// condensed is SciPy's order, which is the strict lower triangle read backwards: element (i, j) of the map is the pair
/// of points (n-1-i, n-1-j) at index n(n-1)/2 - 1 - (i(i-1)/2 + j). So in every layout the elements of row i are
/// contiguous in j: forwards for lower and square, backwards for condensed.

#include "sim/maps/figurate.hpp"
#include "sim/model/compute.hpp"

namespace tri::cuda {

/// Element (i, j) is at index first + step * j.
struct RowRun {
  i64 first;
  i64 step;
};

__device__ __forceinline__ RowRun row_run(DistanceLayout layout, u64 n, u64 i) {
  if (layout == DistanceLayout::condensed) return {static_cast<i64>(n * (n - 1) / 2 - 1 - i * (i - 1) / 2), -1};
  return {static_cast<i64>(layout == DistanceLayout::lower ? triangular(i) : i * n), 1};
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

}  // namespace tri::cuda
