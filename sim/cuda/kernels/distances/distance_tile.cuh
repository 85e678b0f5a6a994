#pragma once
/// All-pairs Euclidean distances at memory bandwidth.
///
/// The map yields tiles of 256 x 256 pairs. Eight blocks of 256 threads share a tile, each with a strip of 32 rows:
/// each of its 8 warps takes every 8th row of the strip, and its lanes take the columns in 8 steps of 32. The points of
/// the strip are in shared memory as vectors of four features.
///
///            columns j0 .. j0+255, the window of row i moved left by s(i) = 0..15
///          +----------------------------------------+
///  strip 0 | warp  0:  lanes 0..31 | 32..63 | ...    |            row i0, i0 + 8, ...
///          | warp  1                                 |            row i0 + 1, i0 + 9, ...
///          +----------------------------------------+
///  strip 1 | ...
///
/// Why strips: throughput depends on the shape of the region that all blocks in flight write. Square blocks of 128 x
/// 128 reach 3.8 to 4.2 TB/s depending on the output's alignment; 32 x 256 reach 4.25 TB/s at any alignment (one H200,
/// n = 32,768, condensed and lower; longer and flatter strips are slower again).
///
/// Why the window shifts: rows of a packed triangle start anywhere in a 32-byte sector, so a run of values would end in
/// two partially written sectors, each of which costs a read. With s(i) = (address of the row) mod 16 every store
/// starts at a sector. All tiles of row i shift alike, so each cell is still computed once: the first window starts
/// left of column 0 and is masked there, the one on the diagonal extends up to it. Column points are read from shared
/// memory, where 16 more precede the tile.
///
/// Per cell of 4 features: 8 float operations, 1 root, 1 shared load, 1 store, some 12 issue slots; writes are the
/// bottleneck. square writes each tile a second time as its mirror image, with rows and columns exchanged.

#include "sim/cuda/kernels/distances/distance_output.cuh"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {

inline constexpr u32 kDistanceWarps = 8;
inline constexpr u32 kDistanceStripRows = 32;
inline constexpr u32 kDistanceStrips = kDistanceTile / kDistanceStripRows;  ///< blocks per tile
inline constexpr u32 kDistanceShift = 16;  ///< two sectors of float; doubles then fill four
/// The layout as a kernel parameter: a compile-time constant where memory bandwidth is the only limit, or else a value,
/// so that a kernel is not compiled three times.
template <DistanceLayout kLayout>
struct FixedLayout {
  TRI_HD constexpr operator DistanceLayout() const { return kLayout; }
};
struct AnyLayout {
  DistanceLayout value;
  TRI_HD constexpr operator DistanceLayout() const { return value; }
};

/// Extents that cut a grid of strips into pieces of a legal size.
inline constexpr GridLimits kDistanceGridLimits{GridLimits{}.x / kDistanceStrips};

/// The grid of a piece: the strips of a tile are adjacent.
TRI_HD inline dim3 distance_grid(const GridPiece& piece) { return dim3(piece.x * kDistanceStrips, piece.y, piece.z); }

/// Points outside 0..n-1 are staged as zeros; results from them are never stored.
template <class Real, u32 kQuads, u32 kCount>
__device__ void stage(Vec4<Real> (&to)[kQuads][kCount], const PointArray<Real>& points, DistanceLayout layout, u32 n,
                      u32 first) {
  for (u32 k = threadIdx.x; k < kQuads * kCount; k += 32 * kDistanceWarps) {
    const u32 vec4 = k / kCount, slot = k % kCount;
    const u32 index = first + slot;  // wraps below 0 to a huge value before the first column
    to[vec4][slot] = index < n ? vector_of(points, vec4, point_of(layout, n, index)) : Vec4<Real>{};
  }
}

template <class Real, u32 kQuads>
struct DistanceStrip {
  Vec4<Real> row[kQuads][kDistanceStripRows];
  Vec4<Real> column[kQuads]
                   [kDistanceShift + kDistanceTile];  ///< points base - kDistanceShift .. base + kDistanceTile - 1
};

template <class Real, u32 kQuads>
__device__ __forceinline__ Real staged_distance(const Vec4<Real> (&p)[kQuads], const DistanceStrip<Real, kQuads>& strip,
                                                u32 slot) {
  Real sum = 0;
#pragma unroll
  for (u32 q = 0; q < kQuads; ++q) add_squares(sum, p[q], strip.column[q][slot]);
  return distance_root(sum);
}

/// The same where that is doubtful.
template <class Real, u32 kQuads>
__device__ __forceinline__ Real staged_distance_again(Real root, const Vec4<Real> (&p)[kQuads],
                                                      const DistanceStrip<Real, kQuads>& strip, u32 slot) {
  return root_again(root, [&](Real& sum, Real scale) {
#pragma unroll
    for (u32 q = 0; q < kQuads; ++q) add_squares(sum, p[q], strip.column[q][slot], scale);
  });
}

/// One output row of the strip, by one warp: the cells lo <= j < hi of the window at `base`; with `last` the window
/// extends to hi.
template <class Real, u32 kQuads>
__device__ __forceinline__ void fill_row(const DistanceStrip<Real, kQuads>& strip, u32 row, const RowRun& run, i64 base,
                                         i64 lo, i64 hi, bool last, Real* out) {
  const u32 lane = threadIdx.x % 32;
  const u32 shift = static_cast<u32>(run.step > 0 ? run.first : -1 - run.first) & (kDistanceShift - 1);
  const i64 start = base - shift, stop = last ? hi : min(hi, start + kDistanceTile);
  Vec4<Real> p[kQuads];
#pragma unroll
  for (u32 q = 0; q < kQuads; ++q) p[q] = strip.row[q][row];
  Real* to = out + run.first + run.step * (start + lane);
  const i64 stride = run.step * 32;
  const u32 from = kDistanceShift - shift + lane;
  using Range = laws::DistanceRange<Real>;
  if (lo <= start && stop == start + kDistanceTile) {
    bool doubtful = false;
#pragma unroll
    for (u32 k = 0; k < kDistanceTile / 32; ++k) {
      const Real d = staged_distance<Real, kQuads>(p, strip, from + 32 * k);
      doubtful |= Range::is_doubtful(d);
      to[k * stride] = d;
    }
    if (!doubtful) return;
  }
#pragma unroll 1
  for (u32 k = 0; start + 32 * k < stop; ++k) {
    const i64 j = start + 32 * k + lane;
    if (j < lo || j >= stop) continue;
    Real d = staged_distance<Real, kQuads>(p, strip, from + 32 * k);
    if (Range::is_doubtful(d)) d = staged_distance_again<Real, kQuads>(d, p, strip, from + 32 * k);
    to[k * stride] = d;
  }
}

/// Rows from..end of a strip, which may begin past the end.
struct StripRows {
  u32 from, end;
};

/// Stages the rows of a strip and the columns from `columns` on, and calls fill(r, i) for each row i = rows.from + r of
/// this warp.
template <class Real, u32 kQuads, class Fill>
__device__ __forceinline__ void fill_strip(DistanceStrip<Real, kQuads>& strip, const PointArray<Real>& points,
                                           DistanceLayout layout, u32 n, StripRows rows, u32 columns, Fill&& fill) {
  stage(strip.row, points, layout, n, rows.from);
  stage(strip.column, points, layout, n, columns - kDistanceShift);
  __syncthreads();
  for (u32 r = threadIdx.x / 32; r < kDistanceStripRows && rows.from + r < rows.end; r += kDistanceWarps) {
    fill(r, rows.from + r);
  }
  __syncthreads();
}

/// Map: AnyTriangleMap, or a single map.
template <class Real, u32 kQuads, class Layout, class Map>
TRI_KERNEL void __launch_bounds__(32 * kDistanceWarps)
    distance_tile_kernel(const __grid_constant__ Map map, const GridPiece piece, u32 n,
                         const __grid_constant__ PointArray<Real> points, Real* __restrict__ out, const RowPart part,
                         const Layout given) {
  const DistanceLayout layout = given;
  __shared__ DistanceStrip<Real, kQuads> strip;
  const u32 offset = blockIdx.x % kDistanceStrips * kDistanceStripRows;
  const Position position = position_in(piece, blockIdx.x / kDistanceStrips, blockIdx.y, blockIdx.z);
  for (auto tiles = map.begin(position); tiles.valid(); tiles.next()) {
    const u32 i0 = part.begin + tiles.tile().row * kDistanceTile, j0 = part.begin + tiles.tile().col * kDistanceTile;
    fill_strip(strip, points, layout, n, {i0 + offset, part.end}, j0, [&](u32 r, u32 i) {
      const i64 end = layout == DistanceLayout::condensed ? i : i64{i} + 1;
      fill_row<Real, kQuads>(strip, r, row_run(layout, n, i, part.origin), j0, part.begin, end, i0 == j0, out);
    });
    if (layout == DistanceLayout::square) {
      fill_strip(strip, points, layout, n, {j0 + offset, part.end}, i0, [&](u32 r, u32 j) {
        fill_row<Real, kQuads>(strip, r, row_run(layout, n, j, part.origin), i0, i64{j} + 1, part.end,
                               i0 + kDistanceTile >= part.end, out);
      });
    }
  }
}

/// The pairs of the rows with the elements of other columns: the strips of a tile are adjacent in x, as above, and rows
/// of tiles are y.
template <class Real, u32 kQuads>
TRI_KERNEL void __launch_bounds__(32 * kDistanceWarps)
    distance_rectangle_kernel(const ColumnRange columns, u32 n, const __grid_constant__ PointArray<Real> points,
                              Real* __restrict__ out, const RowPart part, const DistanceLayout layout) {
  __shared__ DistanceStrip<Real, kQuads> strip;
  const u32 i0 = part.begin + blockIdx.y * kDistanceTile + blockIdx.x % kDistanceStrips * kDistanceStripRows;
  const u32 j0 = columns.from + blockIdx.x / kDistanceStrips * kDistanceTile;
  fill_strip(strip, points, layout, n, {i0, part.end}, j0, [&](u32 r, u32 i) {
    fill_row<Real, kQuads>(strip, r, row_run(layout, n, i, part.origin), j0, columns.from, columns.to,
                           j0 + kDistanceTile >= columns.to, out);
  });
}

}  // namespace tri::cuda
