// Gravity on tensor cores: memory, and the launches of one evaluation.

#include "sim/cuda/kernels/tensor/tensor_gravity.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/bodies/body_order.hpp"
#include "sim/cuda/kernels/tensor/body_tiles.hpp"
#include "sim/cuda/kernels/tensor/far_tiles.cuh"
#include "sim/cuda/kernels/tensor/near_tiles.cuh"
#include "sim/cuda/kernels/tensor/tile_pairs.cuh"
#include "sim/cuda/kernels/typed_map.cuh"
#include "sim/cuda/runtime/early_launch.hpp"
#include "sim/cuda/runtime/kernel_code.hpp"
#include "sim/laws/gravity.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 128, kWarps = kThreads / 32;
/// Blocks a multiprocessor, which the registers must allow.
constexpr u32 kResident = 4;
/// Tiles of the map in one grid, at most: their lists of pairs take 50 MB.
constexpr u64 kMostTiles = 2080;

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

/// The grids of the map, of at most kMostTiles tiles, and the most tiles of one.
template <class M>
std::pair<std::vector<GridPiece>, u64> pieces_of(const M& map, const GridCut& cut) {
  const u64 positions = launched_positions(map), tiles = map.tile_count();
  const u64 each = positions < tiles ? (tiles + positions - 1) / positions : 1;  // of a persistent map
  const u64 least = (positions * each + kMostTiles - 1) / kMostTiles;
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
  // A position of a persistent map has at most kMostTiles tiles, too.
  const u64 pieces_at_least = std::max<u64>(cut.slices, (triangular(side) + kMostTiles - 1) / kMostTiles);
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
  memory->order.take_any();
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
  for (const u64 units : most_units(std::min(kMostTiles, side * side), unit_sizes(padded(n)))) {
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
