#pragma once
/// Sorts pairs of tiles by how far apart they are, and puts them into lists.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {

/// Pairs in a unit at most, so that there are enough units for every warp of the device.
struct UnitSizes {
  u32 far, plain;
};

/// A tile whose radius is more than this share of the distance is never far.
inline constexpr float kWidestTile = 0.85f;

/// The mean of u^2 over the pairs of two tiles times (D2 / 2)^2, for tiles that are far apart: u is then
/// -2 a.(b - 2 (b.d) d) / D2 for a unit vector d between the centres.
__device__ __forceinline__ float mean_square(const TileSpread& a, const TileSpread& b, float x, float y, float z) {
  const float ax = a.xx * x + a.xy * y + a.xz * z, ay = a.xy * x + a.yy * y + a.yz * z,
              az = a.xz * x + a.yz * y + a.zz * z;
  const float bx = b.xx * x + b.xy * y + b.xz * z, by = b.xy * x + b.yy * y + b.yz * z,
              bz = b.xz * x + b.yz * y + b.zz * z;
  const float product = a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + 2 * (a.xy * b.xy + a.xz * b.xz + a.yz * b.yz);
  const float along = (ax * x + ay * y + az * z) * (bx * x + by * y + bz * z);
  return product - 4 * (ax * bx + ay * by + az * bz) + 4 * along;
}

/// The way of computing a pair of tiles, from the fastest: a polynomial of degree 2, 4, 6; plainly. Fine tiles
/// have the ways from kFirstFine on, where coarse ones have all.
inline constexpr u32 kPlainly = 3, kFirstFine = 1;

/// What decides on a tile.
struct TileFacts {
  TileHead head;
  TileSpread spread;
  float mass_root;
};
__device__ __forceinline__ TileFacts coarse_facts(const TiledBodies& b, u32 tile) {
  return {b.coarse_head[tile], b.coarse_spread[tile], b.coarse_mass[tile].root};
}
__device__ __forceinline__ TileFacts fine_facts(const TiledBodies& b, u32 tile) {
  return {b.fine_head[tile], b.fine_spread[tile], b.fine_mass[tile].root};
}

/// pull: the mean square of accelerations.
__device__ __forceinline__ u32 way_of(const TileFacts& a, const TileFacts& b, float eps2, float pull,
                                      const TensorLimits& limits) {
  const float x = b.head.x - a.head.x, y = b.head.y - a.head.y, z = b.head.z - a.head.z;
  const float distance2 = fmaf(x, x, fmaf(y, y, z * z)), inverse = rsqrtf(distance2 + eps2);
  const float left = a.head.radius * inverse, right = b.head.radius * inverse;
  // Of two bodies on the line between the centres, which have the largest |u|.
  const float gap = 1 - left - right, factors = (1 - left) * (1 - right);
  const float bound = 1 - gap * gap / (factors * factors);
  const bool apart = left < kWidestTile && right < kWidestTile && gap > 0.01f;  // not for NaN
  if (!apart || !(bound <= limits.degree6)) return kPlainly;
  const float inverse2 = inverse * inverse;
  const float square =
      4 * mean_square(a.spread, b.spread, x * inverse, y * inverse, z * inverse) * (inverse2 * inverse2);
  if (!(square <= limits.rms * limits.rms)) return kPlainly;
  const float mass = fmaxf(a.mass_root, b.mass_root);
  const float strength = mass * (sqrtf(distance2) + a.head.radius + b.head.radius) * (inverse2 * inverse);
  if (!(square * (strength * strength) <= limits.pull * limits.pull * pull)) return kPlainly;
  return bound <= limits.degree2 ? 0 : bound <= limits.degree4 ? 1 : 2;
}

__device__ __forceinline__ u32 units_of(u32 columns, u32 most) { return (__popc(columns) + most - 1) / most; }

/// The units of one class that a warp has found: so many for each of its masks, written once the block knows where.
struct UnitCursor {
  u32 at;

  /// Appends the pairs of `row` with the tiles of `group` in `columns`, `most` a unit. All lanes of a warp call it.
  __device__ __forceinline__ void put(PairUnit* list, u32 row, u32 group, u32 columns, u32 most, u32 lane) {
    const u32 rank = __popc(columns & ((1u << lane) - 1));
    if ((columns >> lane & 1) != 0 && rank % most == 0) {  // the first column of a unit
      u32 left = columns >> lane << lane, part = 0;
      for (u32 k = 0; k < most; ++k) part |= left & (0 - left), left &= left - 1;
      list[at + rank / most] = {row, group, part};
    }
    at += units_of(columns, most);
  }
};

/// The mean of pull over the tiles, by a whole block and in one order: the same in all blocks. Ends with a barrier.
__device__ __forceinline__ float mean_pull(const TiledBodies& bodies) {
  __shared__ float part[kGroup];
  const u32 tiles = bodies.padded / kCoarse;
  float sum = 0;
  for (u32 t = threadIdx.x; t < tiles; t += 32 * kGroup) sum += bodies.pull[t];
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  float all = 0;
  for (const float one : part) all += one;
  return all / static_cast<float>(tiles);
}

/// M: AnyTriangleMap, or lambda-stream. A block has kGroup warps; warp w takes row kGroup * R + w of the map's tile
/// (R, C), lane l column kGroup * C + l.
template <class M>
__global__ void __launch_bounds__(32 * kGroup)
    tile_pairs_kernel(const __grid_constant__ M map, const GridPiece launch, float eps2, const TensorLimits limits,
                      const UnitSizes sizes, const TiledBodies bodies, const PairUnits units) {
  __shared__ u32 count[kPairClasses], begin[kPairClasses];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = bodies.padded / kCoarse;
  Position position;
  if (!block_share(launch, position)) return await_earlier();  // the next kernel relies on it
  auto walk = map.begin(position);
  await_earlier();
  const float pull = mean_pull(bodies);
  for (; walk.valid(); walk.next()) {
    const u32 row = walk.tile().row * kGroup + warp, group = walk.tile().col;
    if (threadIdx.x < kPairClasses) count[threadIdx.x] = 0;
    __syncthreads();

    // Whole coarse tiles.
    const u32 column = group * kGroup + lane;
    u32 found = kPlainly + 1;  // no pair
    if (row < tiles && column <= row) {
      found = column == row ? kPlainly
                            : way_of(coarse_facts(bodies, row), coarse_facts(bodies, column), eps2, pull, limits);
    }
    u32 coarse[kPlainly];
#pragma unroll
    for (u32 c = 0; c < kPlainly; ++c) coarse[c] = __ballot_sync(~0u, found == c);
    const u32 near = __ballot_sync(~0u, found == kPlainly);

    // Halves of those that are near: fine columns, with both fine rows or, if one of them is near, with the coarse row.
    constexpr u32 kFineWays = kPlainly - kFirstFine;
    u32 fine[2][2][kFineWays], plain[2];  // [half of the columns][fine row][way]
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      const u32 fine_column = (group * 2 + half) * kGroup + lane, bit = 16 * half + lane / 2;
      u32 way[2] = {kPlainly + 1, kPlainly + 1};
      if (near >> bit & 1) {
        way[0] = way[1] = kPlainly;
        if (fine_column / 2 != row) {
#pragma unroll
          for (u32 r = 0; r < 2; ++r) {
            way[r] = max(kFirstFine,
                         way_of(fine_facts(bodies, 2 * row + r), fine_facts(bodies, fine_column), eps2, pull, limits));
          }
          if (way[0] == kPlainly || way[1] == kPlainly) way[0] = way[1] = kPlainly;
        }
      }
      plain[half] = __ballot_sync(~0u, way[0] == kPlainly);
#pragma unroll
      for (u32 r = 0; r < 2; ++r) {
#pragma unroll
        for (u32 c = 0; c < kFineWays; ++c) fine[half][r][c] = __ballot_sync(~0u, way[r] == kFirstFine + c);
      }
    }

    // Room in the lists for the warp, then for the block. Lane c counts class c.
    u32 mine = 0;
#pragma unroll
    for (u32 c = 0; c < kPlainly; ++c) {
      if (lane == c) mine = units_of(coarse[c], sizes.far);
    }
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
#pragma unroll
      for (u32 c = 0; c < kFineWays; ++c) {
        const u32 both = units_of(fine[half][0][c], sizes.far) + units_of(fine[half][1][c], sizes.far);
        if (lane == kPlainly + c) mine += both;
      }
      if (lane + 1 == kPairClasses) mine += units_of(plain[half], sizes.plain);
    }
    u32 at = lane < kPairClasses && mine > 0 ? atomicAdd(count + lane, mine) : 0;
    __syncthreads();
    if (threadIdx.x < kPairClasses && count[threadIdx.x] > 0) {
      begin[threadIdx.x] = atomicAdd(units.made + threadIdx.x, count[threadIdx.x]);
    }
    __syncthreads();
    if (lane < kPairClasses) at += begin[lane];

#pragma unroll
    for (u32 c = 0; c < kPlainly; ++c) {
      UnitCursor{__shfl_sync(~0u, at, c)}.put(units.unit[c], row, group, coarse[c], sizes.far, lane);
    }
#pragma unroll
    for (u32 c = 0; c < kFineWays; ++c) {
      UnitCursor cursor{__shfl_sync(~0u, at, kPlainly + c)};
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
#pragma unroll
        for (u32 r = 0; r < 2; ++r) {
          cursor.put(units.unit[kPlainly + c], 2 * row + r, 2 * group + half, fine[half][r][c], sizes.far, lane);
        }
      }
    }
    UnitCursor cursor{__shfl_sync(~0u, at, kPairClasses - 1)};
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
      cursor.put(units.unit[kPairClasses - 1], row, 2 * group + half, plain[half], sizes.plain, lane);
    }
    __syncthreads();
  }
}

/// The pairs of squares of a tree (tree_gravity.cu) that a map visits: (row, col) of each, counted from first_square
/// on, to pairs[*count, ...]. A block has one thread. M: AnyTriangleMap, or lambda-stream.
template <class M>
__global__ void __launch_bounds__(32)
    tree_squares_kernel(const __grid_constant__ M map, const GridPiece launch, u32 squares, u32 first_square,
                        uint2* pairs, unsigned long long* count) {
  Position position;
  if (!block_share(launch, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    const auto tile = walk.tile();
    if (tile.row < squares && tile.col <= tile.row) {
      pairs[atomicAdd(count, 1ull)] = make_uint2(first_square + tile.row, first_square + tile.col);
    }
  }
}

}  // namespace tri::cuda
