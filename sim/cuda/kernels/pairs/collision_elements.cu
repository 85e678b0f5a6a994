// Overlapping pairs as in the papers: one thread per pair. In block space the rho row spheres and rho column spheres of
// a tile are staged in shared memory; in thread space each thread reads its two spheres from global memory.

#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/kernels/pairs/collision_pair.cuh"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {
namespace {

template <u32 kDimensions, class Real, class M>
__global__ void collision_element_kernel(const M map, const GridPiece piece, u32 n,
                                         const Sphere<Real>* __restrict__ spheres, const CollisionOutput out,
                                         const laws::NearestImage<Real> image) {
  if constexpr (M::kInfo.space == Space::thread) {
    for_each_element(map, piece, n, [&](u32 i, u32 j) {
      if (j < i && touches<kDimensions>(spheres[i], spheres[j], image)) record(out, i, j);
    });
  } else {
    extern __shared__ __align__(16) unsigned char staged[];
    Sphere<Real>* rows = reinterpret_cast<Sphere<Real>*>(staged);
    Sphere<Real>* cols = rows + blockDim.y;
    for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
      const u32 i0 = tiles.tile().row * blockDim.y, j0 = tiles.tile().col * blockDim.x;
      for (u32 k = threadIdx.y; k < 2; k += blockDim.y) {
        const u32 index = (k == 0 ? i0 : j0) + threadIdx.x;
        (k == 0 ? rows : cols)[threadIdx.x] = index < n ? spheres[index] : Sphere<Real>{};
      }
      __syncthreads();
      const u32 i = i0 + threadIdx.y, j = j0 + threadIdx.x;
      if (i < n && j < i && touches<kDimensions>(rows[threadIdx.y], cols[threadIdx.x], image)) record(out, i, j);
      __syncthreads();
    }
  }
}

template <u32 kDimensions, class Real>
PreparedLaunch prepare(TriangleMapId id, u32 n, u32 rho, const Sphere<Real>* spheres, const CollisionOutput& out,
                       const laws::NearestImage<Real>& image) {
  const std::size_t shared = info(id).space == Space::thread ? 0 : 2 * rho * sizeof(Sphere<Real>);
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
