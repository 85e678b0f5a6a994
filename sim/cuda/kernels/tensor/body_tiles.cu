// Tiles of bodies: what the kernels of tensor_gravity.hpp read of them.

#include "sim/cuda/kernels/tensor/body_tiles.hpp"

#include "sim/cuda/kernels/early_start.cuh"
#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/early_launch.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 128, kWarps = kThreads / 32;

__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}

/// How much larger the errors of a tile count in which all bodies are nearly on a line or in a plane. The tiles that it
/// meets then mostly are in that line or plane as well, so that the same roundings repeat from one to the next and do
/// not average out. Measured: docs/tensor.md. moment: xx, yy, zz, xy, xz, yz.
__device__ __forceinline__ float repeated_errors(const float* moment) {
  constexpr float kLine = 8, kPlane = 2, kThin = 0.1f, kFlat = 0.05f;
  const float trace = moment[0] + moment[1] + moment[2];
  if (!(trace > 0)) return 1;
  const float scale = 1 / trace;
  const float xx = moment[0] * scale, yy = moment[1] * scale, zz = moment[2] * scale, xy = moment[3] * scale,
              xz = moment[4] * scale, yz = moment[5] * scale;
  // Both are 1 if the extents are equal, and 0 on a line; the second one is 0 in a plane too.
  const float area = 3 * ((xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz));
  const float volume = 27 * (xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz));
  return area < kThin ? kLine : volume < kFlat ? kPlane : 1.0f;
}

/// The tile of kSteps * 32 bodies of this warp, in bodies `all` of its lanes from the step `first` on.
template <u32 kSteps>
__device__ __forceinline__ void write_tile(const Vec4<float>* all, u32 present, u32 at, u32 lane, Vec4<float>* relative,
                                           TileHead* head, TileSpread* spread, TileMass* mass) {
  constexpr float kFar = 3e38f;
  float low[3] = {kFar, kFar, kFar}, high[3] = {-kFar, -kFar, -kFar}, heaviest = 0;
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) {
    if (!(present >> r & 1)) continue;
    low[0] = fminf(low[0], all[r].x), low[1] = fminf(low[1], all[r].y), low[2] = fminf(low[2], all[r].z);
    high[0] = fmaxf(high[0], all[r].x), high[1] = fmaxf(high[1], all[r].y), high[2] = fmaxf(high[2], all[r].z);
    heaviest = fmaxf(heaviest, fabsf(all[r].w));
  }
  float centre[3];
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const float top = warp_max(high[k]), bottom = -warp_max(-low[k]);
    centre[k] = top < bottom ? 0.0f : 0.5f * bottom + 0.5f * top;  // no body
  }
  heaviest = warp_max(heaviest);
  Vec4<float> from[kSteps];
  float square = 0;
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) {
    const bool here = present >> r & 1;
    from[r] = {here ? all[r].x - centre[0] : 0, here ? all[r].y - centre[1] : 0, here ? all[r].z - centre[2] : 0,
               here ? all[r].w : 0};
    square = fmaxf(square, from[r].x * from[r].x + from[r].y * from[r].y + from[r].z * from[r].z);
  }
  float moment[6] = {0, 0, 0, 0, 0, 0}, count = 0, total = 0, squares = 0;
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) {
    const Vec4<float>& b = from[r];
    count += static_cast<float>(present >> r & 1), total += b.w, squares += b.w * b.w;
    moment[0] += b.x * b.x, moment[1] += b.y * b.y, moment[2] += b.z * b.z;
    moment[3] += b.x * b.y, moment[4] += b.x * b.z, moment[5] += b.y * b.z;
  }
  const float each = 1 / fmaxf(warp_sum(count), 1.0f);
#pragma unroll
  for (float& m : moment) m = warp_sum(m) * each;
  total = warp_sum(total), squares = warp_sum(squares);
  // A little more than the distance of the farthest body, whatever the rounding; never 0.
  const float radius = fmaxf(sqrtf(warp_max(square)) * 1.000001f, 1e-30f), inverse = 1 / radius;
  // The power of two above the heaviest mass, within what float32 can invert.
  int exponent = 0;
  if (heaviest > 0 && isfinite(heaviest)) frexpf(heaviest, &exponent);
  exponent = max(-120, min(120, exponent));
  const float unit = ldexpf(1.0f, exponent), per_unit = ldexpf(1.0f, -exponent);
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) {
    relative[at + 32 * r + lane] = {from[r].x * inverse, from[r].y * inverse, from[r].z * inverse,
                                    from[r].w * per_unit};
  }
  if (lane == 0) {
    const u32 tile = at / (32 * kSteps);
    head[tile] = {centre[0], centre[1], centre[2], radius};
    spread[tile] = {moment[0], moment[1], moment[2], moment[3], moment[4], moment[5]};
    mass[tile] = {unit, total, sqrtf(squares) * repeated_errors(moment)};
  }
}

/// A warp makes a coarse tile and the two fine ones that it consists of.
__global__ void __launch_bounds__(kThreads)
    tile_kernel(const DeviceState<float> state, float G, const TiledBodies to, const ZeroedArrays zeroed) {
  await_earlier();
  if (blockIdx.x == 0 && threadIdx.x < zeroed.counter_count) zeroed.counters[threadIdx.x] = 0;
  const u32 lane = threadIdx.x % 32, at = (blockIdx.x * kWarps + threadIdx.x / 32) * kCoarse;
  if (at >= to.padded) return;
  constexpr u32 kSteps = kCoarse / 32;
  Vec4<float> all[kSteps];
  u32 present = 0;
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) {
    const u32 s = at + 32 * r + lane;
    const float far = beyond(0.0f);
    all[r] = {far, far, far, 0};
    if (s < to.n) {
      const Vec4<float> p = state.position[to.order[s]];
      all[r] = {p.x, p.y, p.z, p.w * G};
      present |= 1u << r;
    }
    to.body[s] = all[r];
    for (u32 k = 0; k < zeroed.count; ++k) zeroed.copies[std::size_t{k} * to.padded + s] = {0, 0, 0, 0};
  }
  write_tile<kSteps>(all, present, at, lane, to.coarse, to.coarse_head, to.coarse_spread, to.coarse_mass);
#pragma unroll
  for (u32 half = 0; half < 2; ++half) {
    write_tile<kSteps / 2>(all + half * kSteps / 2, present >> half * (kSteps / 2), at + half * kFine, lane, to.fine,
                           to.fine_head, to.fine_spread, to.fine_mass);
  }
}

/// The square of the acceleration of a tile by all others, each in one point; a block a tile.
__global__ void __launch_bounds__(kThreads) pull_kernel(const TiledBodies bodies, float eps2) {
  await_earlier();
  const u32 tiles = bodies.padded / kCoarse;
  const TileHead here = bodies.coarse_head[blockIdx.x];
  float sum[3] = {0, 0, 0};
  for (u32 t = threadIdx.x; t < tiles; t += kThreads) {
    const TileHead there = bodies.coarse_head[t];
    const float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + eps2);
    const float strength = t == blockIdx.x ? 0.0f : bodies.coarse_mass[t].total * inverse * inverse * inverse;
    sum[0] += strength * x, sum[1] += strength * y, sum[2] += strength * z;
  }
  __shared__ float part[3][kWarps];
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const float all = warp_sum(sum[k]);
    if (threadIdx.x % 32 == 0) part[k][threadIdx.x / 32] = all;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  float square = 0;
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    float all = 0;
    for (u32 w = 0; w < kWarps; ++w) all += part[k][w];
    square += all * all;
  }
  bodies.pull[blockIdx.x] = square;
}

u32 blocks_of(u32 count, u32 each) { return (count + each - 1) / each; }

}  // namespace

void enqueue_tiles(cudaStream_t stream, const DeviceState<float>& state, float G, float eps2, const TiledBodies& to,
                   const ZeroedArrays& zeroed) {
  const u32 tiles = to.padded / kCoarse;
  launch_early(tile_kernel, dim3(blocks_of(tiles, kWarps)), kThreads, 0, stream, state, G, to, zeroed);
  launch_early(pull_kernel, dim3(tiles), kThreads, 0, stream, to, eps2);
}

}  // namespace tri::cuda
