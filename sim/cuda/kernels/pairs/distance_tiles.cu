// All-pairs Euclidean distances at the speed of the memory: the kernel of edm_tile.cuh, launched from the host.

#include <algorithm>

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/kernels/pairs/distance_tile.cuh"

namespace tri::cuda {
namespace {

template <class Real, u32 kQuads, class Layout>
Prepared prepare(TriangleMapId id, u32 n, Layout layout, const Quad<Real>* points, Real* out) {
  Prepared prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, kEdmTile));
  const u32 blocks = resident_workers(&edm_tile_kernel<Real, kQuads, Layout, TriangleLambdaStream>, 32 * kEdmWarps);
  const u32 workers = std::max(1u, blocks / kEdmStrips);
  visit_device_triangle_map(id, side, Diagonal::with, workers, [&](const auto& map, auto owner) {
    const std::vector<GridPiece> pieces = grid_pieces(map, kEdmTile, kEdmGridLimits);
    fill_counts(prepared, map, pieces.size());
    with_kernel_map(id, map, [&](const auto& in_kernel) {
      prepared.launch = [in_kernel, owner, pieces, n, layout, points, out](cudaStream_t stream, u32 k) {
        edm_tile_kernel<Real, kQuads>
            <<<edm_grid(pieces[k]), 32 * kEdmWarps, 0, stream>>>(in_kernel, pieces[k], n, points, out, layout);
        check_launch("edm tiles");
      };
    });
  });
  return prepared;
}

/// One map, known when the kernel is compiled.
template <class Layout>
Prepared prepare_alone(u32 n, Layout layout, const Quad<float>* points, float* out) {
  Prepared prepared;
  const TriangleLambda map(static_cast<u32>(tiles_per_side(TriangleLambda::kInfo, n, kEdmTile)), Diagonal::with);
  const std::vector<GridPiece> pieces = grid_pieces(map, kEdmTile, kEdmGridLimits);
  fill_counts(prepared, map, pieces.size());
  prepared.launch = [map, pieces, n, layout, points, out](cudaStream_t stream, u32 k) {
    edm_tile_kernel<float, 1>
        <<<edm_grid(pieces[k]), 32 * kEdmWarps, 0, stream>>>(map, pieces[k], n, points, out, layout);
    check_launch("edm tiles of one map");
  };
  return prepared;
}

/// Calls f(the layout as a type of its own).
template <class F>
Prepared with_layout(DistanceLayout layout, F&& f) {
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

/// float32 and up to four features: the writes are all that counts.
template <class Real, u32 kQuads>
Prepared prepare_layout(TriangleMapId id, u32 n, DistanceLayout layout, const Quad<Real>* points, Real* out) {
  if constexpr (sizeof(Real) == 4 && kQuads == 1) {
    return with_layout(layout, [&](auto fixed) { return prepare<Real, kQuads>(id, n, fixed, points, out); });
  } else {
    return prepare<Real, kQuads>(id, n, AnyLayout{layout}, points, out);
  }
}

}  // namespace

template <class Real>
Prepared prepare_edm_tiles(TriangleMapId map, u32 n, u32 features, DistanceLayout layout, const Quad<Real>* points,
                           Real* out) {
  switch (quads_of(features)) {
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

Prepared prepare_edm_lambda_alone(u32 n, DistanceLayout layout, const Quad<float>* points, float* out) {
  return with_layout(layout, [&](auto fixed) { return prepare_alone(n, fixed, points, out); });
}

template Prepared prepare_edm_tiles(TriangleMapId, u32, u32, DistanceLayout, const Quad<float>*, float*);
template Prepared prepare_edm_tiles(TriangleMapId, u32, u32, DistanceLayout, const Quad<double>*, double*);

}  // namespace tri::cuda
