// All-pairs distances as in the papers: launches the kernel of distances.cuh from the host.

#include <algorithm>

#include "sim/cuda/kernels/distance_parts.cuh"
#include "sim/cuda/kernels/distances.cuh"
#include "sim/cuda/kernels/maps.cuh"

namespace tri::cuda {
namespace {

/// The pairs of the triangle.
template <class Real>
PreparedLaunch prepare_triangle(TriangleMapId id, u32 rho, const DistanceArguments<Real>& arg) {
  const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * arg.vectors * rho * sizeof(Vec4<Real>);
  const u32 height = arg.part.end - arg.part.begin;
  if (is_typed(id)) {
    return prepare_typed_kernel(id, side_in_tiles(id, height, rho),
                                {distance_element_map_kernel(kPrecisionAs<Real>), dim3(rho, rho), shared}, {}, arg);
  }
  return prepare_on_map(
      id, height, rho, resident_workers(), [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
        distance_element_kernel<Real><<<grid_of(piece), dim3(rho, rho), shared, stream>>>(map, piece, arg);
        check_launch("edm elements");
      });
}

}  // namespace

template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId id, u32 n, const DistanceRowRange& rows, u32 rho,
                                         DistanceLayout layout, const PointArray<Real>& points, Real* out) {
  const DistanceArguments<Real> arg{points, out, n, vectors_of(points.features), layout, row_part(layout, n, rows)};
  const u32 height = rows.last - rows.first;
  PreparedLaunch work = prepare_triangle(id, rho, arg);
  for_each_rectangle(layout, n, arg.part, [&](ColumnRange columns) {
    const u32 width = columns.to - columns.from;
    const dim3 grid((width - 1) / rho + 1, std::min((height - 1) / rho + 1, 65535u));
    append_launch(work, [=](cudaStream_t stream) {
      distance_rectangle_element_kernel<Real><<<grid, dim3(rho, rho), 0, stream>>>(columns, arg);
      check_launch("edm elements beside the triangle");
    });
  });
  return work;
}

template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, const DistanceRowRange&, u32, DistanceLayout,
                                                  const PointArray<float>&, float*);
template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, const DistanceRowRange&, u32, DistanceLayout,
                                                  const PointArray<double>&, double*);

}  // namespace tri::cuda
