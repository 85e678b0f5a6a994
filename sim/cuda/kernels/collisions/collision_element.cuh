#pragma once
/// Overlapping pairs as in the papers: one thread per pair. In block space the rho row spheres and rho column spheres
/// of a tile are staged in shared memory; in thread space each thread reads its two spheres from global memory.

#include "sim/cuda/kernels/collisions/collision_pair.cuh"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {

template <u32 kDimensions, class Real, class M>
TRI_KERNEL void collision_element_kernel(const M map, const GridPiece piece, u32 n,
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

}  // namespace tri::cuda
