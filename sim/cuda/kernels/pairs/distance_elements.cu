// All-pairs distances as in the papers: launches the kernel of distance_element.cuh from the host.

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/kernels/pairs/distance_element.cuh"

namespace tri::cuda {

template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId id, u32 n, u32 rho, u32 features, DistanceLayout layout,
                                         const Vec4<Real>* points, Real* out) {
  PreparedLaunch prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, rho));
  const DistanceArguments<Real> arg{points, out, n, vectors_of(features), layout};
  visit_device_triangle_map(id, side, Diagonal::with, resident_workers(), [&](const auto& map, auto owner) {
    const std::vector<GridPiece> pieces = grid_pieces(map, rho);
    fill_counts(prepared, map, pieces.size());
    const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * arg.vectors * rho * sizeof(Vec4<Real>);
    prepared.launch = [map, owner, pieces, rho, shared, arg](cudaStream_t stream, u32 k) {
      distance_element_kernel<Real><<<grid_of(pieces[k]), dim3(rho, rho), shared, stream>>>(map, pieces[k], arg);
      check_launch("edm elements");
    };
  });
  return prepared;
}

template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, u32, u32, DistanceLayout, const Vec4<float>*,
                                                  float*);
template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, u32, u32, DistanceLayout, const Vec4<double>*,
                                                  double*);

}  // namespace tri::cuda
