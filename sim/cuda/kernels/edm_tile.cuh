#pragma once
/// All-pairs Euclidean distances at the speed of the memory.
///
/// A block does one tile of 128 x 128 pairs with 256 threads: each of its 8 warps takes every 8th row of the tile, the
/// lanes run along the columns in 4 steps of 32. The points of the tile wait in shared memory as vectors of four
/// features.
///
///            columns j0 .. j0+127, the window of row i moved left by s(i) = 0..7
///          +----------------------------------------+
///     row  | warp  0:  lanes 0..31 | 32..63 | 64..95 | 96..127     row i0, i0 + 8, ...
///     row  | warp  1                                 |             row i0 + 1, i0 + 9, ...
///          | ...
///          +----------------------------------------+
///
/// Why the window moves. Rows of a packed triangle begin anywhere in a 32-byte sector, so a run of 128 values would end
/// in two half-written sectors, and those cost the memory a read each. With s(i) = (address of the row) mod 8 every
/// store begins a sector; all tiles of row i move alike, so each cell is still met once: the first window starts left
/// of column 0 and is masked there, the one on the diagonal reaches up to it. Column points are read from shared
/// memory, where 8 more of them wait in front of the tile.
///
/// Per cell of 4 features: 8 float operations, 1 root, 1 shared load, 1 store, some 12 issue slots; the writes bound
/// it. square writes each row of a tile a second time as a column, with the roles of rows and columns exchanged.

#include "sim/cuda/kernels/any_triangle_map.cuh"
#include "sim/cuda/kernels/distance_output.cuh"
#include "sim/cuda/kernels/edm.hpp"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {

inline constexpr u32 kEdmWarps = 8;
inline constexpr u32 kEdmShift = 8;  ///< elements in a 32-byte sector of float; doubles then fill two
inline constexpr u32 kEdmStaged = kEdmTile + kEdmShift;

template <class Real, u32 kQuads>
struct StagedPoints {
  Quad<Real> at[kQuads][kEdmStaged];  ///< of points base - kEdmShift .. base + kEdmTile - 1
};

/// Points outside 0..n-1 are staged as zeros and never stored from.
template <class Real, u32 kQuads>
__device__ void stage(StagedPoints<Real, kQuads>& to, const Quad<Real>* points, DistanceLayout layout, u32 n,
                      u32 base) {
  for (u32 k = threadIdx.x; k < kQuads * kEdmStaged; k += 32 * kEdmWarps) {
    const u32 quad = k / kEdmStaged, slot = k % kEdmStaged;
    const u32 index = base + slot - kEdmShift;  // wraps below 0, to far above n
    to.at[quad][slot] = index < n ? points[u64{quad} * n + point_of(layout, n, index)] : Quad<Real>{};
  }
}

template <class Real, u32 kQuads>
__device__ __forceinline__ Real staged_distance(const Quad<Real> (&p)[kQuads], const StagedPoints<Real, kQuads>& other,
                                                u32 slot) {
  Real sum = 0;
#pragma unroll
  for (u32 q = 0; q < kQuads; ++q) {
    const Quad<Real> o = other.at[q][slot];
    const Real a = p[q].a - o.a, b = p[q].b - o.b, c = p[q].c - o.c, d = p[q].d - o.d;
    sum += a * a;
    sum += b * b;
    sum += c * c;
    sum += d * d;
  }
  return distance_root(sum);
}

/// One output row of the tile, by one warp: the cells lo <= j < hi of the window of `base`; row is the slot of its
/// point.
template <class Real, u32 kQuads>
__device__ __forceinline__ void fill_row(const StagedPoints<Real, kQuads>& rows, u32 slot,
                                         const StagedPoints<Real, kQuads>& cols, const RowRun& run, i64 base, i64 lo,
                                         i64 hi, bool last, Real* out) {
  const u32 lane = threadIdx.x % 32;
  const u32 shift = static_cast<u32>(run.step > 0 ? run.first : -1 - run.first) & (kEdmShift - 1);
  const i64 start = base - shift, stop = last ? hi : min(hi, start + kEdmTile);
  Quad<Real> p[kQuads];
#pragma unroll
  for (u32 q = 0; q < kQuads; ++q) p[q] = rows.at[q][slot];
  Real* to = out + run.first + run.step * (start + lane);
  const i64 stride = run.step * 32;
  const u32 from = kEdmShift - shift + lane;
  if (lo <= start && stop == start + kEdmTile) {
#pragma unroll
    for (u32 k = 0; k < kEdmTile / 32; ++k) to[k * stride] = staged_distance<Real, kQuads>(p, cols, from + 32 * k);
    return;
  }
  for (u32 k = 0; start + 32 * k < stop; ++k) {
    const i64 j = start + 32 * k + lane;
    if (j >= lo && j < stop) to[k * stride] = staged_distance<Real, kQuads>(p, cols, from + 32 * k);
  }
}

template <class Real, u32 kQuads, DistanceLayout kLayout>
static __global__ void __launch_bounds__(32 * kEdmWarps)
    edm_tile_kernel(const __grid_constant__ AnyTriangleMap map, const GridPiece piece, u32 n,
                    const Quad<Real>* __restrict__ points, Real* __restrict__ out) {
  __shared__ StagedPoints<Real, kQuads> rows, cols;
  const u32 warp = threadIdx.x / 32;
  for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
    const u32 i0 = tiles.tile().row * kEdmTile, j0 = tiles.tile().col * kEdmTile;
    const bool diagonal = i0 == j0;
    stage(rows, points, kLayout, n, i0);
    stage(cols, points, kLayout, n, j0);
    __syncthreads();
    const u32 height = min(kEdmTile, n - i0);
    for (u32 r = warp; r < height; r += kEdmWarps) {
      const u32 i = i0 + r;
      const i64 end = kLayout == DistanceLayout::condensed ? i : i64{i} + 1;
      fill_row<Real, kQuads>(rows, r + kEdmShift, cols, row_run(kLayout, n, i), j0, 0, end, diagonal, out);
    }
    if constexpr (kLayout == DistanceLayout::square) {
      const u32 width = min(kEdmTile, n - j0);
      for (u32 c = warp; c < width; c += kEdmWarps) {
        const u32 j = j0 + c;
        fill_row<Real, kQuads>(cols, c + kEdmShift, rows, row_run(kLayout, n, j), i0, i64{j} + 1, n, i0 + kEdmTile >= n,
                               out);
      }
    }
    __syncthreads();
  }
}

}  // namespace tri::cuda
