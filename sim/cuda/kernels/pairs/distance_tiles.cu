// All-pairs Euclidean distances at memory bandwidth: launches the kernel of distance_tile.cuh from the host.

#include <algorithm>

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/kernels/pairs/distance_tile.cuh"

namespace tri::cuda {
namespace {

template <class Real, u32 kQuads, class Layout>
PreparedLaunch prepare(TriangleMapId id, u32 n, Layout layout, const Vec4<Real>* points, Real* out) {
  PreparedLaunch prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, kDistanceTile));
  const u32 blocks =
      resident_workers(&distance_tile_kernel<Real, kQuads, Layout, TriangleLambdaStream>, 32 * kDistanceWarps);
  const u32 workers = std::max(1u, blocks / kDistanceStrips);
  visit_device_triangle_map(id, side, Diagonal::with, workers, [&](const auto& map, auto owner) {
    const std::vector<GridPiece> pieces = grid_pieces(map, kDistanceTile, kDistanceGridLimits);
    fill_counts(prepared, map, pieces.size());
    with_kernel_map(map, [&](const auto& in_kernel) {
      prepared.launch = [in_kernel, owner, pieces, n, layout, points, out](cudaStream_t stream, u32 k) {
        distance_tile_kernel<Real, kQuads><<<distance_grid(pieces[k]), 32 * kDistanceWarps, 0, stream>>>(
            in_kernel, pieces[k], n, points, out, layout);
        check_launch("edm tiles");
      };
    });
  });
  return prepared;
}

/// A single map, known at compile time.
template <class Layout>
PreparedLaunch prepare_alone(u32 n, Layout layout, const Vec4<float>* points, float* out) {
  PreparedLaunch prepared;
  const TriangleLambda map(static_cast<u32>(tiles_per_side(TriangleLambda::kInfo, n, kDistanceTile)), Diagonal::with);
  const std::vector<GridPiece> pieces = grid_pieces(map, kDistanceTile, kDistanceGridLimits);
  fill_counts(prepared, map, pieces.size());
  prepared.launch = [map, pieces, n, layout, points, out](cudaStream_t stream, u32 k) {
    distance_tile_kernel<float, 1>
        <<<distance_grid(pieces[k]), 32 * kDistanceWarps, 0, stream>>>(map, pieces[k], n, points, out, layout);
    check_launch("edm tiles of one map");
  };
  return prepared;
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
PreparedLaunch prepare_layout(TriangleMapId id, u32 n, DistanceLayout layout, const Vec4<Real>* points, Real* out) {
  if constexpr (sizeof(Real) == 4 && kQuads == 1) {
    return with_layout(layout, [&](auto fixed) { return prepare<Real, kQuads>(id, n, fixed, points, out); });
  } else {
    return prepare<Real, kQuads>(id, n, AnyLayout{layout}, points, out);
  }
}

}  // namespace

template <class Real>
PreparedLaunch prepare_distance_tiles(TriangleMapId map, u32 n, u32 features, DistanceLayout layout,
                                      const Vec4<Real>* points, Real* out) {
  switch (vectors_of(features)) {
    case 1:
      return prepare_layout<Real, 1>(map, n, layout, points, out);
    case 2:
      return prepare_layout<Real, 2>(map, n, layout, points, out);
    case 3:
      return prepare_layout<Real, 3>(map, n, layout, points, out);
    default:
      TRI_EXPECTS(features <= 16);
      return prepare_layout<Real, 4>(map, n, layout, points, out);
  }
}

PreparedLaunch prepare_distance_lambda_alone(u32 n, DistanceLayout layout, const Vec4<float>* points, float* out) {
  return with_layout(layout, [&](auto fixed) { return prepare_alone(n, fixed, points, out); });
}

template PreparedLaunch prepare_distance_tiles(TriangleMapId, u32, u32, DistanceLayout, const Vec4<float>*, float*);
template PreparedLaunch prepare_distance_tiles(TriangleMapId, u32, u32, DistanceLayout, const Vec4<double>*, double*);

}  // namespace tri::cuda
