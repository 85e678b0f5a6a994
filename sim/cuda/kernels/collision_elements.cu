// Overlapping pairs as in the papers: launches the kernel of collisions.cuh.

#include "sim/cuda/kernels/collisions.cuh"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pair_jobs.hpp"

namespace tri::cuda {
namespace {

template <u32 kDimensions, class Real>
PreparedLaunch prepare(TriangleMapId id, u32 n, u32 rho, const Sphere<Real>* spheres, const CollisionOutput& out,
                       const laws::NearestImage<Real>& image) {
  const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * rho * sizeof(Sphere<Real>);
  if (is_typed(id)) {
    const MapKernel kernel = collision_element_map_kernel(kPrecisionAs<Real>, kDimensions);
    return prepare_typed_kernel(id, side_in_tiles(id, n, rho), {kernel, dim3(rho, rho), shared}, {}, n, spheres, out,
                                image);
  }
  return prepare_on_map(id, n, rho, resident_workers(),
                        [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
                          collision_element_kernel<kDimensions>
                              <<<grid_of(piece), dim3(rho, rho), shared, stream>>>(map, piece, n, spheres, out, image);
                          check_launch("collision elements");
                        });
}

}  // namespace

template <class Real>
PreparedLaunch prepare_collision_elements(TriangleMapId map, u32 n, u32 rho, u32 dimensions,
                                          const Sphere<Real>* spheres, const CollisionOutput& out,
                                          const laws::NearestImage<Real>& image) {
  TRI_EXPECTS(dimensions == 1 || dimensions == 3);
  return dimensions == 1 ? prepare<1>(map, n, rho, spheres, out, image) : prepare<3>(map, n, rho, spheres, out, image);
}

template PreparedLaunch prepare_collision_elements(TriangleMapId, u32, u32, u32, const Sphere<float>*,
                                                   const CollisionOutput&, const laws::NearestImage<float>&);
template PreparedLaunch prepare_collision_elements(TriangleMapId, u32, u32, u32, const Sphere<double>*,
                                                   const CollisionOutput&, const laws::NearestImage<double>&);

}  // namespace tri::cuda
