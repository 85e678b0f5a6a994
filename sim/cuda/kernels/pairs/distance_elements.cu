// All-pairs distances as in the papers: launches the kernel of distance_element.cuh from the host.

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/kernels/pairs/distance_element.cuh"

namespace tri::cuda {

template <class Real>
PreparedLaunch prepare_distance_elements(TriangleMapId id, u32 n, u32 rho, u32 features, DistanceLayout layout,
                                         const Vec4<Real>* points, Real* out) {
  const DistanceArguments<Real> arg{points, out, n, vectors_of(features), layout};
  const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * arg.vectors * rho * sizeof(Vec4<Real>);
  return prepare_on_map(
      id, n, rho, resident_workers(), [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
        distance_element_kernel<Real><<<grid_of(piece), dim3(rho, rho), shared, stream>>>(map, piece, arg);
        check_launch("edm elements");
      });
}

template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, u32, u32, DistanceLayout, const Vec4<float>*,
                                                  float*);
template PreparedLaunch prepare_distance_elements(TriangleMapId, u32, u32, u32, DistanceLayout, const Vec4<double>*,
                                                  double*);

}  // namespace tri::cuda
