// Overlapping pairs: launches the kernels of collisions.cuh, with many bodies per thread, and as in the papers with one
// pair per thread.

#include "sim/cuda/kernels/collisions.cuh"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pair_jobs.hpp"

namespace tri::cuda {
namespace {

template <class Real, u32 kDimensions, u32 kRows, u32 kThreads>
auto launch_of(u32 n, const Sphere<Real>* spheres, const CollisionOutput& out, const laws::NearestImage<Real>& image) {
  return [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    collision_tile_kernel<Real, kDimensions, kRows, kThreads>
        <<<grid_of(piece), kThreads, 0, stream>>>(map, piece, n, spheres, out, image);
    check_launch("collision tiles");
  };
}

template <class Real, u32 kDimensions, u32 kRows, u32 kThreads>
PreparedLaunch prepare_tiles(TriangleMapId id, u32 n, const Sphere<Real>* spheres, const CollisionOutput& out,
                             const laws::NearestImage<Real>& image, u32 slices) {
  if (is_typed(id)) {
    return prepare_typed_kernel(id, side_in_tiles(id, n, kRows * kThreads),
                                {collision_tile_map_kernel(kPrecisionOf<Real>, kDimensions, kRows, kThreads), kThreads},
                                slices, n, spheres, out, image);
  }
  const u32 workers =
      resident_workers(&collision_tile_kernel<Real, kDimensions, kRows, kThreads, TriangleLambdaStream>, kThreads);
  const auto launch = launch_of<Real, kDimensions, kRows, kThreads>(n, spheres, out, image);
  return prepare_on_map(id, n, kRows * kThreads, workers * slices, on_kernel_map(launch), slices);
}

/// A single map, known at compile time.
template <u32 kRows, u32 kThreads>
PreparedLaunch prepare_alone(u32 n, const Sphere<float>* spheres, const CollisionOutput& out) {
  const TriangleLambda map(static_cast<u32>(tiles_per_side(TriangleLambda::kInfo, n, kRows * kThreads)),
                           Diagonal::with);
  return prepare_on(map, grid_pieces(map, kThreads), launch_of<float, 3, kRows, kThreads>(n, spheres, out, {}));
}

template <u32 kDimensions, class Real>
PreparedLaunch prepare_elements(TriangleMapId id, u32 n, u32 rho, const Sphere<Real>* spheres,
                                const CollisionOutput& out, const laws::NearestImage<Real>& image) {
  const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * rho * sizeof(Sphere<Real>);
  if (is_typed(id)) {
    const MapKernel kernel = collision_element_map_kernel(kPrecisionOf<Real>, kDimensions);
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

PreparedLaunch prepare_collision_lambda_alone(u32 n, u32 tile, const Sphere<float>* spheres,
                                              const CollisionOutput& out) {
  TRI_EXPECTS(tile == kCollisionTileLarge || tile == kCollisionTileSmall);
  return tile == kCollisionTileSmall ? prepare_alone<4, 32>(n, spheres, out) : prepare_alone<8, 64>(n, spheres, out);
}

template <class Real>
PreparedLaunch prepare_collision_tiles(TriangleMapId map, u32 n, u32 tile, u32 dimensions, const Sphere<Real>* spheres,
                                       const CollisionOutput& out, const laws::NearestImage<Real>& image, u32 slices) {
  TRI_EXPECTS(dimensions == 1 || dimensions == 3);
  TRI_EXPECTS(tile == kCollisionTileLarge || tile == kCollisionTileSmall);
  if (tile == kCollisionTileSmall) {
    return dimensions == 1 ? prepare_tiles<Real, 1, 4, 32>(map, n, spheres, out, image, slices)
                           : prepare_tiles<Real, 3, 4, 32>(map, n, spheres, out, image, slices);
  }
  return dimensions == 1 ? prepare_tiles<Real, 1, 8, 64>(map, n, spheres, out, image, slices)
                         : prepare_tiles<Real, 3, 8, 64>(map, n, spheres, out, image, slices);
}

template PreparedLaunch prepare_collision_tiles(TriangleMapId, u32, u32, u32, const Sphere<float>*,
                                                const CollisionOutput&, const laws::NearestImage<float>&, u32);
template PreparedLaunch prepare_collision_tiles(TriangleMapId, u32, u32, u32, const Sphere<double>*,
                                                const CollisionOutput&, const laws::NearestImage<double>&, u32);

template <class Real>
PreparedLaunch prepare_collision_elements(TriangleMapId map, u32 n, u32 rho, u32 dimensions,
                                          const Sphere<Real>* spheres, const CollisionOutput& out,
                                          const laws::NearestImage<Real>& image) {
  TRI_EXPECTS(dimensions == 1 || dimensions == 3);
  return dimensions == 1 ? prepare_elements<1>(map, n, rho, spheres, out, image)
                         : prepare_elements<3>(map, n, rho, spheres, out, image);
}

template PreparedLaunch prepare_collision_elements(TriangleMapId, u32, u32, u32, const Sphere<float>*,
                                                   const CollisionOutput&, const laws::NearestImage<float>&);
template PreparedLaunch prepare_collision_elements(TriangleMapId, u32, u32, u32, const Sphere<double>*,
                                                   const CollisionOutput&, const laws::NearestImage<double>&);

}  // namespace tri::cuda
