// All-pairs Euclidean distances at memory bandwidth: launches the kernel of distances.cuh from the host. And plain
// contiguous stores: the write bandwidth of the device.

#include <algorithm>
#include <string>

#include "sim/cuda/kernels/distance_parts.cuh"
#include "sim/cuda/kernels/distances.cuh"
#include "sim/cuda/kernels/maps.cuh"

namespace tri::cuda {
namespace {

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
    TypedKernel kernel{distance_tile_map_kernel(kPrecisionAs<Real>, kQuads, name_of(layout)), 32 * kDistanceWarps};
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

}  // namespace

template <class Real>
PreparedLaunch prepare_distance_tiles(TriangleMapId map, u32 n, const DistanceRowRange& rows, DistanceLayout layout,
                                      const PointArray<Real>& points, Real* out) {
  const RowPart part = row_part(layout, n, rows);
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

PreparedLaunch prepare_distance_lambda_alone(u32 n, DistanceLayout layout, const Vec4<float>* points, float* out) {
  return with_layout(layout, [&](auto fixed) { return prepare_alone(n, fixed, points, out); });
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

}  // namespace tri::cuda
