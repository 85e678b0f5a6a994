#pragma once
/// Overlapping pairs of spheres (3-D) or intervals (1-D) on the device: |d| <= r_i + r_j, with the same rounding as
/// sim/laws/overlap.hpp, for every map.

#include "sim/cuda/kernels/collisions/sphere.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Tile sides of the fast kernel: large for throughput, small so that few bodies still fill the device.
inline constexpr u32 kCollisionTileLarge = 512;
inline constexpr u32 kCollisionTileSmall = 128;

/// The faster tile for n bodies. (Measured on an H200: equal at 131,072.)
constexpr u32 collision_tile_for(u64 n) { return n < 131072 ? kCollisionTileSmall : kCollisionTileLarge; }

/// The fast kernel with any block-space map. tile: one of the two above. image: that of the box, in 3-D. slices: the
/// number of launches to split the work into.
template <class Real>
PreparedLaunch prepare_collision_tiles(TriangleMapId map, u32 n, u32 tile, u32 dimensions, const Sphere<Real>* spheres,
                                       const CollisionOutput& out, const laws::NearestImage<Real>& image = {},
                                       u32 slices = 1);

/// The same kernel in 3-D, compiled for the map lambda alone: shows the cost of selecting the map at run time.
PreparedLaunch prepare_collision_lambda_alone(u32 n, u32 tile, const Sphere<float>* spheres,
                                              const CollisionOutput& out);

/// The papers' kernel: one thread per pair, rho x rho threads per block, rho 1..32, shared-memory tiles in block space.
template <class Real>
PreparedLaunch prepare_collision_elements(TriangleMapId map, u32 n, u32 rho, u32 dimensions,
                                          const Sphere<Real>* spheres, const CollisionOutput& out,
                                          const laws::NearestImage<Real>& image = {});

}  // namespace tri::cuda
