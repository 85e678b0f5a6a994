// All-pairs Euclidean distances: launches the kernels of distances.cuh, at memory bandwidth, and as in the papers with
// one pair per thread. And plain contiguous stores: the write bandwidth of the device.
//
// The host cuts the distances of a block of rows into a triangle, which a map gives to blocks, and rectangles beside
// it.

#include <algorithm>
#include <string>

#include "sim/cuda/kernels/distances.cuh"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pair_jobs.hpp"

namespace tri::cuda {
namespace {

RowPart row_part(DistanceLayout layout, u32 n, const DistanceRowRange& rows) {
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

constexpr u32 kPaddingThreads = 256;

/// Zeros in the cells of the last row of blocks that lie outside the matrix: one thread each of its cells.
template <class Real>
__global__ void padding_kernel(u32 n, Real* __restrict__ blocks) {
  const u64 cell = u64{blockIdx.x} * kPaddingThreads + threadIdx.x;
  const u64 row = cell / kDistanceBlock % kDistanceBlock, side = u64{kDistanceBlock} * kDistanceBlock;
  const u64 column = cell / side * kDistanceBlock + cell % kDistanceBlock;
  if (row >= n % kDistanceBlock || column >= n) blocks[cell] = 0;
}

template <class Real, u32 kQuads, class Layout>
auto launch_of(u32 n, const RowPart& part, Layout layout, const PointArray<Real>& points, Real* out) {
  return [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    distance_tile_kernel<Real, kQuads>
        <<<distance_grid(piece), 32 * kDistanceWarps, 0, stream>>>(map, piece, n, points, out, part, layout);
    check_launch("edm tiles");
  };
}

std::string name_of(AnyLayout) { return "AnyLayout"; }
template <DistanceLayout kLayout>
std::string name_of(FixedLayout<kLayout>) {
  return "FixedLayout<DistanceLayout(" + std::to_string(static_cast<u32>(kLayout)) + ")>";
}

/// The tiles of the triangle.
template <class Real, u32 kQuads, class Layout>
PreparedLaunch prepare_triangle(TriangleMapId id, u32 n, const RowPart& part, Layout layout,
                                const PointArray<Real>& points, Real* out) {
  const u32 height = part.end - part.begin;
  if (is_typed(id)) {
    TypedKernel kernel{distance_tile_map_kernel(kPrecisionOf<Real>, kQuads, name_of(layout)), 32 * kDistanceWarps};
    kernel.grid = distance_grid, kernel.largest = kDistanceGridLimits;
    return prepare_typed_kernel(id, side_in_tiles(id, height, kDistanceTile), kernel, {}, n, points, out, part, layout);
  }
  const u32 blocks =
      resident_workers(&distance_tile_kernel<Real, kQuads, Layout, TriangleLambdaStream>, 32 * kDistanceWarps);
  return prepare_on_map(id, height, kDistanceTile, std::max(1u, blocks / kDistanceStrips),
                        on_kernel_map(launch_of<Real, kQuads>(n, part, layout, points, out)), 1, kDistanceGridLimits);
}

template <class Real, u32 kQuads, class Layout>
PreparedLaunch prepare(TriangleMapId id, u32 n, const RowPart& part, Layout layout, const PointArray<Real>& points,
                       Real* out) {
  const u32 height = part.end - part.begin;
  PreparedLaunch work = prepare_triangle<Real, kQuads>(id, n, part, layout, points, out);
  for_each_rectangle(layout, n, part, [&](ColumnRange columns) {
    const u32 width = columns.to - columns.from;
    const dim3 grid(((width - 1) / kDistanceTile + 1) * kDistanceStrips, (height - 1) / kDistanceTile + 1);
    TRI_EXPECTS(grid.y <= GridLimits{}.y);  // more rows than any memory has room for
    append_launch(work, [=](cudaStream_t stream) {
      distance_rectangle_kernel<Real, kQuads>
          <<<grid, 32 * kDistanceWarps, 0, stream>>>(columns, n, points, out, part, layout);
      check_launch("edm tiles beside the triangle");
    });
  });
  return work;
}

/// A single map, known at compile time.
template <class Layout>
PreparedLaunch prepare_alone(u32 n, Layout layout, const Vec4<float>* points, float* out) {
  const TriangleLambda map(static_cast<u32>(tiles_per_side(TriangleLambda::kInfo, n, kDistanceTile)), Diagonal::with);
  return prepare_on(map, grid_pieces(map, kDistanceTile, 1, kDistanceGridLimits),
                    launch_of<float, 1>(n, {0, n, 0}, layout, packed_points(points, n, 4), out));
}

/// Calls f with the layout as a compile-time constant.
template <class F>
PreparedLaunch with_layout(DistanceLayout layout, F&& f) {
  switch (layout) {
    case DistanceLayout::condensed:
      return f(FixedLayout<DistanceLayout::condensed>{});
    case DistanceLayout::square:
      return f(FixedLayout<DistanceLayout::square>{});
    case DistanceLayout::blocks:
      return f(FixedLayout<DistanceLayout::blocks>{});
    case DistanceLayout::lower:
      break;
  }
  return f(FixedLayout<DistanceLayout::lower>{});
}

/// float32 and up to four features: only the writes matter.
template <class Real, u32 kQuads>
PreparedLaunch prepare_layout(TriangleMapId id, u32 n, const RowPart& part, DistanceLayout layout,
                              const PointArray<Real>& points, Real* out) {
  if constexpr (sizeof(Real) == 4 && kQuads == 1) {
    return with_layout(layout, [&](auto fixed) { return prepare<Real, kQuads>(id, n, part, fixed, points, out); });
  } else {
    return prepare<Real, kQuads>(id, n, part, AnyLayout{layout}, points, out);
  }
}

constexpr u32 kFillThreads = 512, kWordsAThread = 16;

__global__ void __launch_bounds__(kFillThreads) fill_kernel(u64 words, u32 value, u32* __restrict__ out) {
  const u64 first = u64{blockIdx.x} * kFillThreads * kWordsAThread + threadIdx.x;
#pragma unroll
  for (u32 k = 0; k < kWordsAThread; ++k) {
    const u64 at = first + k * kFillThreads;
    if (at < words) out[at] = value;
  }
}

/// The pairs of the triangle.
template <class Real>
PreparedLaunch prepare_elements(TriangleMapId id, u32 rho, const DistanceArguments<Real>& arg) {
  const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * arg.vectors * rho * sizeof(Vec4<Real>);
  const u32 height = arg.part.end - arg.part.begin;
  if (is_typed(id)) {
    return prepare_typed_kernel(id, side_in_tiles(id, height, rho),
                                {distance_element_map_kernel(kPrecisionOf<Real>), dim3(rho, rho), shared}, {}, arg);
  }
  return prepare_on_map(
      id, height, rho, resident_workers(), [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
        distance_element_kernel<Real><<<grid_of(piece), dim3(rho, rho), shared, stream>>>(map, piece, arg);
        check_launch("edm elements");
      });
}

template <class Real>
PreparedLaunch prepare_vectors(TriangleMapId map, u32 n, const RowPart& part, DistanceLayout layout,
                               const PointArray<Real>& points, Real* out) {
  switch (vectors_of(points.features)) {
    case 1:
      return prepare_layout<Real, 1>(map, n, part, layout, points, out);
    case 2:
      return prepare_layout<Real, 2>(map, n, part, layout, points, out);
    case 3:
      return prepare_layout<Real, 3>(map, n, part, layout, points, out);
    default:
      TRI_EXPECTS(points.features <= 16);
      return prepare_layout<Real, 4>(map, n, part, layout, points, out);
  }
}

}  // namespace

template <class Real>
PreparedLaunch with_padding(PreparedLaunch work, u32 n, const DistanceRowRange& rows, DistanceLayout layout,
                            Real* out) {
  const u32 full = n / kDistanceBlock * kDistanceBlock;
  if (layout != DistanceLayout::blocks || rows.last != n || full == n) return work;
  const u64 begin = distance_row_begin(n, layout, full), cells = distance_count(n, layout) - begin;
  Real* const blocks = out + (begin - distance_row_begin(n, layout, rows.first));
  append_launch(work, [=](cudaStream_t stream) {
    padding_kernel<<<static_cast<u32>(cells / kPaddingThreads), kPaddingThreads, 0, stream>>>(n, blocks);
    check_launch("padding of distances");
  });
  return work;
}

template PreparedLaunch with_padding(PreparedLaunch, u32, const DistanceRowRange&, DistanceLayout, float*);
template PreparedLaunch with_padding(PreparedLaunch, u32, const DistanceRowRange&, DistanceLayout, double*);

template <class Real>
PreparedLaunch prepare_distance_tiles(TriangleMapId map, u32 n, const DistanceRowRange& rows, DistanceLayout layout,
                                      const PointArray<Real>& points, Real* out) {
  const RowPart part = row_part(layout, n, rows);
  return with_padding(prepare_vectors<Real>(map, n, part, layout, points, out), n, rows, layout, out);
}

PreparedLaunch prepare_distance_lambda_alone(u32 n, DistanceLayout layout, const Vec4<float>* points, float* out) {
  return with_padding(with_layout(layout, [&](auto fixed) { return prepare_alone(n, fixed, points, out); }), n, {0, n},
                      layout, out);
}

PreparedLaunch prepare_fill(u64 words, u32 value, u32* out) {
  const u64 blocks = (words + kFillThreads * kWordsAThread - 1) / (kFillThreads * kWordsAThread);
  const auto launch = [=](cudaStream_t stream, u32) {
    fill_kernel<<<static_cast<u32>(blocks), kFillThreads, 0, stream>>>(words, value, out);
    check_launch("fill");
  };
  return {launch, blocks, blocks, blocks > 0 ? 1u : 0u};
}

template PreparedLaunch prepare_distance_tiles(TriangleMapId, u32, const DistanceRowRange&, DistanceLayout,
                                               const PointArray<float>&, float*);
template PreparedLaunch prepare_distance_tiles(TriangleMapId, u32, const DistanceRowRange&, DistanceLayout,
                                               const PointArray<double>&, double*);

template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId id, u32 n, const DistanceRowRange& rows, u32 rho,
                                         DistanceLayout layout, const PointArray<Real>& points, Real* out) {
  const DistanceArguments<Real> arg{points, out, n, vectors_of(points.features), layout, row_part(layout, n, rows)};
  const u32 height = rows.last - rows.first;
  PreparedLaunch work = prepare_elements(id, rho, arg);
  for_each_rectangle(layout, n, arg.part, [&](ColumnRange columns) {
    const u32 width = columns.to - columns.from;
    const dim3 grid((width - 1) / rho + 1, std::min((height - 1) / rho + 1, 65535u));
    append_launch(work, [=](cudaStream_t stream) {
      distance_rectangle_element_kernel<Real><<<grid, dim3(rho, rho), 0, stream>>>(columns, arg);
      check_launch("edm elements beside the triangle");
    });
  });
  return with_padding(std::move(work), n, rows, layout, out);
}

template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, const DistanceRowRange&, u32, DistanceLayout,
                                                  const PointArray<float>&, float*);
template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, const DistanceRowRange&, u32, DistanceLayout,
                                                  const PointArray<double>&, double*);

}  // namespace tri::cuda
