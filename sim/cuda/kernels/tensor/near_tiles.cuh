#pragma once
/// Pairs of tiles that are near each other, and of a tile with itself: plain float32, as in
/// kernels/pairs/pair_tile.cuh.

#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/cuda/kernels/tensor/tile_sums.cuh"

namespace tri::cuda {

/// A warp's shared memory.
struct NearStage {
  float4 column[kFine];
  float4 column_sum[kFine];
};

/// (x, y, z) towards the other body, and 1 / (r^2 + eps^2)^(3/2).
struct Attraction {
  float x, y, z, strength;
};
__device__ __forceinline__ Attraction attraction(const float4& on, const float4& by, float eps2) {
  Attraction a{by.x - on.x, by.y - on.y, by.z - on.z, 0};
  const float inverse = DeviceMath<float>::rsqrt(fmaf(a.x, a.x, fmaf(a.y, a.y, fmaf(a.z, a.z, eps2))));
  a.strength = inverse * (inverse * inverse);
  return a;
}
__device__ __forceinline__ void add_pull(Sum3<float>& to, float factor, const Attraction& a) {
  to = {fmaf(factor, a.x, to.x), fmaf(factor, a.y, to.y), fmaf(factor, a.z, to.z)};
}

/// All pairs of a unit: a coarse row with fine columns. `number` of the unit spreads additions.
template <bool kOrdered>
__device__ __forceinline__ void near_unit(const Vec4<float>* all, const TileSums<kOrdered>& sums, float eps2,
                                          const PairUnit& unit, u32 number, void* memory, u32 lane) {
  constexpr u32 kRows = kCoarse / 32, kColumns = kFine / 32;
  auto& stage = *static_cast<NearStage*>(memory);
  const float4* const bodies = reinterpret_cast<const float4*>(all);
  const u32 row0 = unit.row * kCoarse;
  float4 row[kRows];
  Sum3<float> row_sum[kRows];
#pragma unroll
  for (u32 r = 0; r < kRows; ++r) row[r] = bodies[row0 + r * 32 + lane];
#pragma unroll 1
  for (u32 left = unit.columns; left != 0; left &= left - 1) {
    const u32 tile = unit.group * kGroup + __ffs(left) - 1, first = tile * kFine;
#pragma unroll
    for (u32 r = 0; r < kColumns; ++r) {
      stage.column[r * 32 + lane] = bodies[first + r * 32 + lane];
      stage.column_sum[r * 32 + lane] = make_float4(0, 0, 0, 0);
    }
    __syncwarp();
    if (tile / (kCoarse / kFine) == unit.row) {
      // The columns are among the rows: every row with every column, and no sums of columns.
#pragma unroll 2
      for (u32 k = 0; k < kFine; ++k) {
        const float4 column = stage.column[k];
#pragma unroll
        for (u32 r = 0; r < kRows; ++r) {
          const Attraction a = attraction(row[r], column, eps2);
          // A body with itself: drops the result, including infinity and NaN.
          const bool self = first + k == row0 + r * 32 + lane;
          add_pull(row_sum[r], self ? 0.0f : column.w * a.strength, a);
        }
      }
      __syncwarp();
    } else {
      // In step k lane l has column l + k of 32: no two lanes add to the same one.
#pragma unroll 1
      for (u32 c = 0; c < kFine; c += 32) {
#pragma unroll 8
        for (u32 k = 0; k < 32; ++k) {
          const u32 at = c + (lane + k) % 32;
          const float4 column = stage.column[at];
          const float4 before = stage.column_sum[at];
          Sum3<float> on_column{before.x, before.y, before.z};
          Attraction a[kRows];
#pragma unroll
          for (u32 r = 0; r < kRows; ++r) a[r] = attraction(row[r], column, eps2);
#pragma unroll
          for (u32 r = 0; r < kRows; ++r) {
            add_pull(row_sum[r], column.w * a[r].strength, a[r]);
            add_pull(on_column, -row[r].w * a[r].strength, a[r]);
          }
          stage.column_sum[at] = make_float4(on_column.x, on_column.y, on_column.z, 0);
          __syncwarp();
        }
      }
#pragma unroll
      for (u32 r = 0; r < kColumns; ++r) {
        const float4 sum = stage.column_sum[r * 32 + lane];
        sums.add(first + r * 32 + lane, unit.row, {sum.x, sum.y, sum.z});
      }
      __syncwarp();
    }
  }
#pragma unroll
  for (u32 r = 0; r < kRows; ++r) sums.add(row0 + r * 32 + lane, number, row_sum[r]);
  __syncwarp();
}

}  // namespace tri::cuda
