#pragma once
/// Sorts pairs of tiles by how far apart they are, and puts them into lists.

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/tensor/tensor_arrays.hpp"
#include "sim/cuda/kernels/tensor/tensor_gravity.hpp"

namespace tri::cuda {

/// Pairs in a unit at most, so that there are enough units for every warp of the device.
struct UnitSizes {
  u32 far, plain;
};

/// A tile that is farther away than the sum of the radii by less than this share of the distance is never far.
inline constexpr float kWidestTile = 0.85f;

/// 0, 1, 2: a polynomial of degree 3, 4, 6 is accurate enough; 3: none is.
__device__ __forceinline__ u32 degree_class(const TileHead& a, const TileHead& b, float eps2,
                                            const TensorLimits& limits) {
  const float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  const float inverse = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, eps2))));
  const float left = a.radius * inverse, right = b.radius * inverse;
  // Of two bodies on the line between the centres, which have the largest |u|.
  const float gap = 1 - left - right, factors = (1 - left) * (1 - right);
  const float bound = 1 - gap * gap / (factors * factors);
  const bool apart = left < kWidestTile && right < kWidestTile && gap > 0.01f;  // not for NaN
  if (!apart || !(bound <= limits.degree6)) return 3;
  return bound <= limits.degree3 ? 0 : bound <= limits.degree4 ? 1 : 2;
}

/// The units of one class that a warp has found: so many for each of its masks, written once the block knows where.
struct UnitCursor {
  u32 at;

  /// Appends the pairs of `row` with the tiles of `group` in `columns`, `most` a unit. All lanes of a warp call it.
  __device__ __forceinline__ void put(PairUnit* list, u32 row, u32 group, u32 columns, u32 most, u32 lane) {
    const u32 rank = __popc(columns & ((1u << lane) - 1)), units = (__popc(columns) + most - 1) / most;
    const bool mine = columns >> lane & 1;
    for (u32 k = 0; k < units; ++k) {
      const u32 part = __ballot_sync(~0u, mine && rank / most == k);
      if (lane == k) list[at + k] = {row, group, part};
    }
    at += units;
  }
};

__device__ __forceinline__ u32 units_of(u32 columns, u32 most) { return (__popc(columns) + most - 1) / most; }

/// M: AnyTriangleMap, or lambda-stream. A block has kGroup warps; warp w takes row kGroup * R + w of the map's tile
/// (R, C), lane l column kGroup * C + l.
template <class M>
__global__ void __launch_bounds__(32 * kGroup)
    tile_pairs_kernel(const __grid_constant__ M map, const GridPiece launch, const TiledBodies bodies,
                      const PairUnits units, float eps2, const TensorLimits limits, const UnitSizes sizes) {
  __shared__ u32 count[kPairClasses], begin[kPairClasses];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = bodies.padded / kCoarse;
  for (auto walk = map.begin(block_position(launch)); walk.valid(); walk.next()) {
    const u32 row = walk.tile().row * kGroup + warp, group = walk.tile().col;
    if (threadIdx.x < kPairClasses) count[threadIdx.x] = 0;
    __syncthreads();

    // Whole coarse tiles.
    const u32 column = group * kGroup + lane;
    u32 found = 4;  // no pair
    if (row < tiles && column <= row) {
      found = column == row ? 3 : degree_class(bodies.coarse_head[row], bodies.coarse_head[column], eps2, limits);
    }
    u32 coarse[3];
#pragma unroll
    for (u32 c = 0; c < 3; ++c) coarse[c] = __ballot_sync(~0u, found == c);
    const u32 near = __ballot_sync(~0u, found == 3);

    // Halves of those that are near: fine columns, with both fine rows or, if one of them is near, with the coarse row.
    u32 fine[2][2][2], plain[2];  // [half of the columns][fine row][class]
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 fine_column = (group * 2 + half) * kGroup + lane, bit = 16 * half + lane / 2;
      u32 upper = 4, lower = 4;
      if (near >> bit & 1) {
        upper = lower = 3;
        if (fine_column / 2 != row) {
          const TileHead& there = bodies.fine_head[fine_column];
          upper = degree_class(bodies.fine_head[2 * row], there, eps2, limits);
          lower = degree_class(bodies.fine_head[2 * row + 1], there, eps2, limits);
          if (upper == 3 || lower == 3) upper = lower = 3;
        }
      }
      plain[half] = __ballot_sync(~0u, upper == 3);
      fine[half][0][0] = __ballot_sync(~0u, upper < 2), fine[half][0][1] = __ballot_sync(~0u, upper == 2);
      fine[half][1][0] = __ballot_sync(~0u, lower < 2), fine[half][1][1] = __ballot_sync(~0u, lower == 2);
    }

    // Room in the lists for the warp, then for the block.
    u32 mine = 0;
    if (lane < 3) mine = units_of(lane == 0 ? coarse[0] : lane == 1 ? coarse[1] : coarse[2], sizes.far);
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
#pragma unroll
      for (u32 r = 0; r < 2; ++r) {
        if (lane == 3) mine += units_of(fine[half][r][0], sizes.far);
        if (lane == 4) mine += units_of(fine[half][r][1], sizes.far);
      }
      if (lane == 5) mine += units_of(plain[half], sizes.plain);
    }
    u32 at = lane < kPairClasses && mine > 0 ? atomicAdd(count + lane, mine) : 0;
    __syncthreads();
    if (threadIdx.x < kPairClasses && count[threadIdx.x] > 0) {
      begin[threadIdx.x] = atomicAdd(units.made + threadIdx.x, count[threadIdx.x]);
    }
    __syncthreads();
    if (lane < kPairClasses) at += begin[lane];

#pragma unroll
    for (u32 c = 0; c < 3; ++c) {
      UnitCursor{__shfl_sync(~0u, at, c)}.put(units.unit[c], row, group, coarse[c], sizes.far, lane);
    }
    UnitCursor degree4{__shfl_sync(~0u, at, 3)}, degree6{__shfl_sync(~0u, at, 4)}, near_ones{__shfl_sync(~0u, at, 5)};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
#pragma unroll
      for (u32 r = 0; r < 2; ++r) {
        degree4.put(units.unit[3], 2 * row + r, 2 * group + half, fine[half][r][0], sizes.far, lane);
        degree6.put(units.unit[4], 2 * row + r, 2 * group + half, fine[half][r][1], sizes.far, lane);
      }
      near_ones.put(units.unit[5], row, 2 * group + half, plain[half], sizes.plain, lane);
    }
    __syncthreads();
  }
}

}  // namespace tri::cuda
