#pragma once
/// What the host cuts the distances of a block of rows into: a triangle, which a map gives to blocks, and rectangles
/// beside it.

#include "sim/cuda/kernels/distances.cuh"
#include "sim/cuda/kernels/pair_jobs.hpp"

namespace tri::cuda {

inline RowPart row_part(DistanceLayout layout, u32 n, const DistanceRowRange& rows) {
  const u64 origin = distance_row_begin(n, layout, rows.first);
  if (layout == DistanceLayout::condensed) return {n - rows.last, n - rows.first, origin};
  return {rows.first, rows.last, origin};
}

/// Calls f(columns) for each rectangle beside the triangle: the pairs with earlier elements, and in square those with
/// later ones.
template <class F>
void for_each_rectangle(DistanceLayout layout, u32 n, const RowPart& part, const F& f) {
  if (part.begin > 0) f(ColumnRange{0, part.begin});
  if (layout == DistanceLayout::square && part.end < n) f(ColumnRange{part.end, n});
}

}  // namespace tri::cuda
