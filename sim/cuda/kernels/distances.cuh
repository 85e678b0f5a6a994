#pragma once
/// Distances on a map: by elements and by tiles.
///
/// The points as they lie in memory, the output index of the distance of (i, j), i > j, for each layout, and the part
/// of the triangle that a block of rows is.
///
/// condensed is SciPy's order, which is the strict lower triangle read backwards: element (i, j) of the map is the pair
/// of points (n-1-i, n-1-j) at index n(n-1)/2 - 1 - (i(i-1)/2 + j). So in every layout the elements of row i are
/// contiguous in j: forwards for lower and square, backwards for condensed. In blocks they are so for every 32 columns.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/laws/law_basics.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/triangle_blocks.hpp"

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

/// Element (i, j + k), k < 32, is at index first + leap * j + step * k, counted from `origin`; in blocks 32 divides j.
struct RowRun {
  i64 first;
  i64 step;
  i64 leap;
};

__device__ __forceinline__ RowRun row_run(DistanceLayout layout, u64 n, u64 i, u64 origin) {
  if (layout == DistanceLayout::condensed)
    return {static_cast<i64>(n * (n - 1) / 2 - 1 - i * (i - 1) / 2 - origin), -1, -1};
  if (layout == DistanceLayout::blocks)
    return {static_cast<i64>(blocks_index(static_cast<u32>(i), 0, kDistanceBlock) - origin), 1, kDistanceBlock};
  return {static_cast<i64>((layout == DistanceLayout::lower ? triangular(i) : i * n) - origin), 1, 1};
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

/// The same of differences times a power of two (law_basics.hpp).
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

// All-pairs distances as in the papers: one thread per pair, blocks of rho x rho threads, one instantiation per map.
// In block space the rho row points and rho column points of a tile are staged in shared memory (2 rho vectors per
// vec4 of features); in thread space each thread reads its two points from global memory.

template <class Real>
struct DistanceArguments {
  PointArray<Real> points;
  Real* out;
  u32 n;
  u32 vectors;
  DistanceLayout layout;
  RowPart part;
};

/// add(sum, scale) adds the squares of all features.
template <class Real, class Add>
__device__ __forceinline__ void put(const DistanceArguments<Real>& arg, u32 i, u32 j, Add&& add, bool mirror = true) {
  if (i == j && arg.layout == DistanceLayout::condensed) return;
  Real sum = 0;
  add(sum, Real(1));
  Real d = distance_root(sum);
  if (laws::DistanceRange<Real>::is_doubtful(d)) d = root_again(d, add);
  if (arg.layout == DistanceLayout::blocks) {
    arg.out[blocks_index(i, j, kDistanceBlock) - arg.part.origin] = d;
    if (i / kDistanceBlock == j / kDistanceBlock) arg.out[blocks_index(j, i, kDistanceBlock) - arg.part.origin] = d;
    return;
  }
  const RowRun run = row_run(arg.layout, arg.n, i, arg.part.origin);
  arg.out[run.first + run.step * j] = d;
  if (mirror && arg.layout == DistanceLayout::square) arg.out[u64{j} * arg.n + i - arg.part.origin] = d;
}

/// What put() adds for elements i and j, from global memory.
template <class Real>
struct ElementSquares {
  const DistanceArguments<Real>& arg;
  u32 p, q;

  __device__ __forceinline__ ElementSquares(const DistanceArguments<Real>& of, u32 i, u32 j)
      : arg(of), p(point_of(of.layout, of.n, i)), q(point_of(of.layout, of.n, j)) {}
  __device__ __forceinline__ void operator()(Real& sum, Real scale) const {
    for (u32 k = 0; k < arg.vectors; ++k) {
      add_squares(sum, vector_of(arg.points, k, p), vector_of(arg.points, k, q), scale);
    }
  }
};

template <class Real, class M>
TRI_KERNEL void distance_element_kernel(const M map, const GridPiece piece, const DistanceArguments<Real> arg) {
  if constexpr (M::kInfo.space == Space::thread) {
    for_each_element(map, piece, arg.part.end - arg.part.begin, [&](u32 row, u32 col) {
      const u32 i = arg.part.begin + row, j = arg.part.begin + col;
      put(arg, i, j, ElementSquares<Real>(arg, i, j));
    });
  } else {
    extern __shared__ __align__(16) unsigned char staged[];
    Vec4<Real>* rows = reinterpret_cast<Vec4<Real>*>(staged);
    Vec4<Real>* cols = rows + arg.vectors * blockDim.y;
    for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
      const u32 i0 = arg.part.begin + tiles.tile().row * blockDim.y;
      const u32 j0 = arg.part.begin + tiles.tile().col * blockDim.x;
      // The first 2 * vectors thread rows each stage one vec4 of the row or column points, with a stride if rho is
      // small.
      for (u32 k = threadIdx.y; k < 2 * arg.vectors; k += blockDim.y) {
        const bool row = k < arg.vectors;
        const u32 vec4 = row ? k : k - arg.vectors, index = (row ? i0 : j0) + threadIdx.x;
        const Vec4<Real> value =
            index < arg.n ? vector_of(arg.points, vec4, point_of(arg.layout, arg.n, index)) : Vec4<Real>{};
        (row ? rows : cols)[vec4 * blockDim.x + threadIdx.x] = value;
      }
      __syncthreads();
      const u32 i = i0 + threadIdx.y, j = j0 + threadIdx.x;
      if (i < arg.part.end && j <= i) {
        put(arg, i, j, [&](Real& sum, Real scale) {
          for (u32 k = 0; k < arg.vectors; ++k) {
            add_squares(sum, rows[k * blockDim.x + threadIdx.y], cols[k * blockDim.x + threadIdx.x], scale);
          }
        });
      }
      __syncthreads();
    }
  }
}

/// The pairs of the rows with the elements of other columns: one thread each, blocks of rho x rho.
template <class Real>
TRI_KERNEL void distance_rectangle_element_kernel(const ColumnRange columns, const DistanceArguments<Real> arg) {
  const u32 j = columns.from + blockIdx.x * blockDim.x + threadIdx.x;
  // The grid's y is 16 bits wide.
  for (u32 row = blockIdx.y * blockDim.y + threadIdx.y; row < arg.part.end - arg.part.begin;
       row += gridDim.y * blockDim.y) {
    const u32 i = arg.part.begin + row;
    if (j < columns.to) put(arg, i, j, ElementSquares<Real>(arg, i, j), false);
  }
}

// All-pairs Euclidean distances at memory bandwidth.
//
// The map yields tiles of 256 x 256 pairs. Eight blocks of 256 threads share a tile, each with a strip of 32 rows:
// each of its 8 warps takes every 8th row of the strip, and its lanes take the columns in 8 steps of 32. The points of
// the strip are in shared memory as vectors of four features.
//
//            columns j0 .. j0+255, the window of row i moved left by s(i) = 0..15
//          +----------------------------------------+
//  strip 0 | warp  0:  lanes 0..31 | 32..63 | ...    |            row i0, i0 + 8, ...
//          | warp  1                                 |            row i0 + 1, i0 + 9, ...
//          +----------------------------------------+
//  strip 1 | ...
//
// Why strips: throughput depends on the shape of the region that all blocks in flight write. Square blocks of 128 x
// 128 reach 3.8 to 4.2 TB/s depending on the output's alignment; 32 x 256 reach 4.25 TB/s at any alignment (one H200,
// n = 32,768, condensed and lower; longer and flatter strips are slower again).
//
// Why the window shifts: rows of a packed triangle start anywhere in a 32-byte sector, so a run of values would end in
// two partially written sectors, each of which costs a read. With s(i) = (address of the row) mod 16 every store
// starts at a sector. All tiles of row i shift alike, so each cell is still computed once: the first window starts
// left of column 0 and is masked there, the one on the diagonal extends up to it. Column points are read from shared
// memory, where 16 more precede the tile. In blocks every row of 32 values starts at a sector: nothing shifts, a step
// of 32 columns is the next block, and a row goes on to the end of its block on the diagonal.
//
// Per cell of 4 features: 8 float operations, 1 root, 1 shared load, 1 store, some 12 issue slots; writes are the
// bottleneck. square writes each tile a second time as its mirror image, with rows and columns exchanged.

inline constexpr u32 kDistanceWarps = 8;
inline constexpr u32 kDistanceStripRows = 32;
inline constexpr u32 kDistanceStrips = kDistanceTile / kDistanceStripRows;  ///< blocks per tile
inline constexpr u32 kDistanceShift = 16;  ///< two sectors of float; doubles then fill four
/// The layout as a kernel parameter: a compile-time constant where memory bandwidth is the only limit, or else a value,
/// so that a kernel is not compiled for each.
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
  Real* to = out + run.first + run.leap * start + run.step * lane;
  const i64 stride = run.leap * 32;
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
      const i64 end = layout == DistanceLayout::condensed ? i64{i}
                      : layout == DistanceLayout::blocks
                          ? min(i64{part.end}, (i64{i} / kDistanceBlock + 1) * kDistanceBlock)
                          : i64{i} + 1;
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
