/// Gravity on tensor cores: tiles of bodies, near and far pairs of them.
///
/// Tiles cut from bodies in the order of a curve.

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/kernels/far_tiles.cuh"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/kernels/tile_pairs.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/gravity.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {

/// Fills in every array of `to` but the order, which may be any, and clears `zeroed`. Masses are multiplied by G. May
/// be captured.
void enqueue_tiles(cudaStream_t stream, const DeviceState<float>& state, float G, float eps2, const TiledBodies& to,
                   const ZeroedArrays& zeroed);

// Tiles of bodies: what the kernels of pairs.hpp read of them.

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
/// not average out. Measured: docs/notes/tensor.md. moment: xx, yy, zz, xy, xz, yz.
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

// Pairs of tiles that are near each other, and of a tile with itself: plain float32, as in
// sim/cuda/kernels/pair_tile.cuh.

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

// Gravity on tensor cores: memory, and the launches of one evaluation.

namespace {

/// Blocks a multiprocessor, which the registers must allow.
constexpr u32 kResident = 4;
/// Tiles of the map in one grid, at most: their lists of pairs take 50 MB.
constexpr u64 kMaxTiles = 2080;

/// Bytes of shared memory of a warp.
constexpr std::size_t kStage = sizeof(FarStage<kCoarse>);
/// A unit is some ten microseconds of a warp, unless there are few.
UnitSizes unit_sizes(u32 padded) {
  const u32 tiles = padded / kCoarse;
  return {std::clamp(tiles / 128, 1u, 16u), std::clamp(tiles / 256, 1u, 8u)};
}

/// Units of each class that so many tiles of the map can have.
std::array<u64, kPairClasses> most_units(u64 map_tiles, const UnitSizes& sizes) {
  const u64 far = (kGroup + sizes.far - 1) / sizes.far, plain = (kGroup + sizes.plain - 1) / sizes.plain;
  const u64 coarse = map_tiles * kGroup * far, fine = map_tiles * (2 * kGroup) * 2 * far;
  return {coarse, coarse, coarse, fine, fine, map_tiles * kGroup * 2 * plain};
}

u32 padded(u64 n) { return static_cast<u32>((n + kCoarse - 1) / kCoarse * kCoarse); }

/// What one kernel runs for all classes.
template <bool kOrdered>
struct UnitWork {
  TiledBodies bodies;
  PairUnits units;
  TileSums<kOrdered> sums;
  float eps2;
};

/// Persistent: each warp takes unit after unit, those that are farthest apart first.
template <bool kOrdered>
__global__ void __launch_bounds__(kThreads, kResident) units_kernel(const __grid_constant__ UnitWork<kOrdered> work) {
  static_assert(sizeof(NearStage) <= kStage && sizeof(FarStage<kFine>) <= kStage);
  await_earlier();
  extern __shared__ uint4 shared[];
  const u32 lane = threadIdx.x % 32;
  void* const memory = reinterpret_cast<unsigned char*>(shared) + threadIdx.x / 32 * kStage;
  u32 end[kPairClasses], total = 0;
#pragma unroll
  for (u32 c = 0; c < kPairClasses; ++c) end[c] = total += work.units.made[c];
  const TiledBodies& bodies = work.bodies;
  for (;;) {
    u32 number = 0;
    if (lane == 0) number = atomicAdd(work.units.taken, 1u);
    number = __shfl_sync(~0u, number, 0);
    if (number >= total) break;
    u32 which = 0, before = 0;
#pragma unroll
    for (u32 c = 0; c + 1 < kPairClasses; ++c) {
      if (number >= end[c]) which = c + 1, before = end[c];
    }
    const PairUnit unit = work.units.unit[which][number - before];
    // Ordered sums need no copies, and numbers of units differ from run to run.
    const auto coarse = [&](auto degree) {
      far_unit<kCoarse, degree.value>(bodies.coarse, bodies.coarse_head, bodies.coarse_mass, work.sums, work.eps2, unit,
                                      number, memory, lane);
    };
    const auto fine = [&](auto degree) {
      far_unit<kFine, degree.value>(bodies.fine, bodies.fine_head, bodies.fine_mass, work.sums, work.eps2, unit, number,
                                    memory, lane);
    };
    switch (static_cast<PairClass>(which)) {
      case PairClass::coarse2:
        coarse(std::integral_constant<u32, 2>{});
        break;
      case PairClass::coarse4:
        coarse(std::integral_constant<u32, 4>{});
        break;
      case PairClass::coarse6:
        coarse(std::integral_constant<u32, 6>{});
        break;
      case PairClass::fine4:
        fine(std::integral_constant<u32, 4>{});
        break;
      case PairClass::fine6:
        fine(std::integral_constant<u32, 6>{});
        break;
      case PairClass::plain:
        near_unit(bodies.body, work.sums, work.eps2, unit, number, memory, lane);
        break;
    }
  }
}

/// Adds up the copies and returns the sums to the bodies' own order.
__global__ void __launch_bounds__(kThreads) copies_kernel(const TileSums<false> sums, Vec4<float>* out) {
  await_earlier();
  const u32 s = blockIdx.x * kThreads + threadIdx.x;
  if (s >= sums.n) return;
  Vec4<float> total{0, 0, 0, 0};
#pragma unroll
  for (u32 k = 0; k < kSumCopies; ++k) {
    const Vec4<float> one = sums.copies[std::size_t{k} * sums.padded + s];
    total.x += one.x, total.y += one.y, total.z += one.z;
  }
  out[sums.order[s]] = total;
}

/// The grids of the map, of at most kMaxTiles tiles, and the most tiles of one.
template <class M>
std::pair<std::vector<GridPiece>, u64> pieces_of(const M& map, const GridCut& cut) {
  const u64 positions = launched_positions(map), tiles = map.tile_count();
  const u64 each = positions < tiles ? (tiles + positions - 1) / positions : 1;  // of a persistent map
  const u64 least = (positions * each + kMaxTiles - 1) / kMaxTiles;
  GridCut finer = cut;
  finer.slices = std::max(cut.slices, static_cast<u32>(least));
  std::vector<GridPiece> pieces = grid_pieces(map, kTensorBlock, finer);
  u64 most = 0;
  for (const GridPiece& piece : pieces) most = std::max(most, u64{piece.x} * piece.y * piece.z * each);
  return {std::move(pieces), std::min(most, tiles)};
}

/// Everything in device memory, by one allocation each.
struct TensorMemory {
  BodyOrder order;
  DeviceBuffer<u32> made;
  DeviceBuffer<Vec4<float>> body, coarse, fine, copies;
  DeviceBuffer<TileHead> coarse_head, fine_head;
  DeviceBuffer<TileSpread> coarse_spread, fine_spread;
  DeviceBuffer<TileMass> coarse_mass, fine_mass;
  DeviceBuffer<float> pull;
  std::array<DeviceBuffer<PairUnit>, kPairClasses> units;

  TensorMemory(u32 n, bool ordered)
      : order(n),
        made(kPairClasses + 1),
        body(padded(n)),
        coarse(padded(n)),
        fine(padded(n)),
        copies(ordered ? 0 : std::size_t{kSumCopies} * padded(n)),
        coarse_head(padded(n) / kCoarse),
        fine_head(padded(n) / kFine),
        coarse_spread(padded(n) / kCoarse),
        fine_spread(padded(n) / kFine),
        coarse_mass(padded(n) / kCoarse),
        fine_mass(padded(n) / kFine),
        pull(padded(n) / kCoarse) {}

  void make_lists(u64 map_tiles, const UnitSizes& sizes) {
    const auto most = most_units(map_tiles, sizes);
    for (u32 c = 0; c < kPairClasses; ++c) units[c] = DeviceBuffer<PairUnit>(most[c]);
  }
  TiledBodies bodies(u32 n) {
    return {n,
            static_cast<u32>(body.size()),
            order.data(),
            body.data(),
            coarse.data(),
            fine.data(),
            coarse_head.data(),
            fine_head.data(),
            coarse_spread.data(),
            fine_spread.data(),
            coarse_mass.data(),
            fine_mass.data(),
            pull.data()};
  }
  PairUnits lists() {
    PairUnits lists;
    for (u32 c = 0; c < kPairClasses; ++c) lists.unit[c] = units[c].data();
    lists.made = made.data(), lists.taken = made.data() + kPairClasses;
    return lists;
  }
};

template <bool kOrdered>
TensorGravity prepare(const laws::Gravity<float>& law, TriangleMapId id, u32 n, const TensorLimits& limits,
                      const UnitSizes& sizes, const GridCut& cut) {
  const auto memory = std::make_shared<TensorMemory>(n, kOrdered);
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, kTensorBlock));
  // A position of a persistent map has at most kMaxTiles tiles, too.
  const u64 pieces_at_least = std::max<u64>(cut.slices, (triangular(side) + kMaxTiles - 1) / kMaxTiles);
  const u32 workers = static_cast<u32>(multiprocessors() * pieces_at_least) * cut.step, shared = kWarps * kStage;
  TRI_CUDA(cudaFuncSetAttribute(units_kernel<kOrdered>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const u32 blocks = resident_workers(&units_kernel<kOrdered>, kThreads, shared);
  const float G = law.G, eps2 = law.eps2;
  TensorGravity made;
  PairWork<float>& work = made.sums;
  // list(piece, stream, bodies, units) lists the pairs of tiles.
  const auto bind = [&](const auto& map, const auto& list) {
    const auto [pieces, map_tiles] = pieces_of(map, cut);
    memory->make_lists(map_tiles, sizes);
    const LaunchCounts counts = launch_counts(map);
    work.launched = counts.launched, work.useful = counts.useful, work.launches = static_cast<u32>(pieces.size());
    work.launch = [=, pieces = pieces](cudaStream_t stream, u32 k, const DeviceState<float>&,
                                       const PairSums<float>& out) {
      const TiledBodies bodies = memory->bodies(n);
      const PairUnits lists = memory->lists();
      const TileSums<kOrdered> sums{out, memory->copies.data(), bodies.order, n, bodies.padded};
      if (k > 0) memory->made.fill_bytes(0, stream);
      list(pieces[k], stream, bodies, lists);
      launch_early(units_kernel<kOrdered>, dim3(blocks), kThreads, shared, stream,
                   UnitWork<kOrdered>{bodies, lists, sums, eps2});
    };
  };
  if (is_typed(id)) {
    TypedKernel kernel{tile_pairs_map_kernel(), 32 * kGroup};
    kernel.early = true;
    bind(typed_on_host(id, side),
         [launch = typed_launch(id, side, kernel, eps2, limits, sizes),
          value = map_value(info(id), side)](const auto&... arguments) { launch(value.data(), arguments...); });
  } else {
    visit_device_map(id, side, Diagonal::with, workers, [&](const auto& given, const auto& owner) {
      with_kernel_map(given, [&](const auto& map) {
        bind(given,
             [=](const GridPiece& piece, cudaStream_t stream, const TiledBodies& bodies, const PairUnits& units) {
               (void)owner;  // the map's table
               launch_early(tile_pairs_kernel<std::decay_t<decltype(map)>>, grid_of(piece), 32 * kGroup, 0, stream, map,
                            piece, eps2, limits, sizes, bodies, units);
             });
      });
    });
  }
  work.begin = [=](cudaStream_t stream, const DeviceState<float>& state, const PairSums<float>&) {
    if (kOrdered) enqueue_body_order(stream, state, memory->order);
    enqueue_tiles(stream, state, G, eps2, memory->bodies(n),
                  {memory->copies.data(), kOrdered ? 0 : kSumCopies, memory->lists().made, kPairClasses + 1});
  };
  if (!kOrdered) {
    work.end = [=](cudaStream_t stream, const DeviceState<float>&, const PairSums<float>& out) {
      const TiledBodies bodies = memory->bodies(n);
      const TileSums<false> fast{out, memory->copies.data(), bodies.order, n, bodies.padded};
      launch_early(copies_kernel, dim3((n + kThreads - 1) / kThreads), kThreads, 0, stream, fast, out.out);
    };
  }
  memory->order.keep_order();
  if (!kOrdered) {
    made.sort = [memory](cudaStream_t stream, const DeviceState<float>& state) {
      enqueue_body_order(stream, state, memory->order);
    };
  }
  return made;
}

}  // namespace

bool has_tensor_gravity(int device) { return has_code(&units_kernel<false>, device, 8); }

u64 tensor_gravity_bytes(u64 n, Accumulate accumulate) {
  const u64 bodies = padded(n), side = (n + kTensorBlock - 1) / kTensorBlock;
  u64 bytes = BodyOrder::bytes(n) + bodies * 3 * sizeof(Vec4<float>);
  bytes += bodies / kFine * 2 * (sizeof(TileHead) + sizeof(TileSpread) + sizeof(TileMass) + sizeof(float));
  if (accumulate == Accumulate::fast) bytes += bodies * kSumCopies * sizeof(Vec4<float>);
  for (const u64 units : most_units(std::min(kMaxTiles, side * side), unit_sizes(padded(n)))) {
    bytes += units * sizeof(PairUnit);
  }
  return bytes;
}

TensorGravity prepare_tensor_gravity(const ForceField& field, TriangleMapId map, u32 n, const TensorLimits& limits,
                                     Accumulate accumulate, const GridCut& cut) {
  TRI_EXPECTS(field.pair == PairLaw::gravity);
  const laws::Gravity<float> law(field.gravity);
  const UnitSizes sizes = unit_sizes(padded(n));
  return accumulate == Accumulate::fast ? prepare<false>(law, map, n, limits, sizes, cut)
                                        : prepare<true>(law, map, n, limits, sizes, cut);
}

}  // namespace tri::cuda
