#pragma once
/// All-pairs distances as in the papers: one thread per pair, blocks of rho x rho threads, one instantiation per map.
/// In block space the rho row points and rho column points of a tile are staged in shared memory (2 rho vectors per
/// vec4 of features); in thread space each thread reads its two points from global memory.

#include "sim/cuda/kernels/distances/distance_output.cuh"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {

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

}  // namespace tri::cuda
