// Launches of the kernel of jerk_tile.cuh.

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/pairs/jerk_tile.cuh"
#include "sim/cuda/kernels/pairs/jerk_tiles.hpp"
#include "sim/cuda/kernels/typed_map.cuh"

namespace tri::cuda {
namespace {

template <bool kOrdered>
JerkWork prepare(const JerkLaw& law, TriangleMapId id, u32 n, u32 tile, const GridCut& cut) {
  constexpr u32 kThreads = 32 * kJerkWarps;
  if (is_typed(id)) {
    return prepare_typed_kernel<const DeviceState<double>&, const JerkSums&>(
        id, side_in_tiles(id, n, tile), {jerk_map_kernel(kOrdered ? Accumulate::ordered : Accumulate::fast), kThreads},
        cut, law, tile);
  }
  const u32 workers = cut.workers(resident_workers(&jerk_tile_kernel<kOrdered, TriangleLambdaStream>, kThreads));
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream,
                          const DeviceState<double>& state, const JerkSums& out) {
    jerk_tile_kernel<kOrdered><<<grid_of(piece), kThreads, 0, stream>>>(map, piece, law, tile, state, out);
    check_launch("jerk tiles");
  };
  return prepare_on_map<const DeviceState<double>&, const JerkSums&>(id, n, tile, workers, on_kernel_map(launch), cut);
}

}  // namespace

JerkWork prepare_jerk_tiles(const ForceField& field, TriangleMapId map, u32 n, u32 tile, Accumulate accumulate,
                            const GridCut& cut) {
  TRI_EXPECTS(tile > 0 && tile % kJerkSpan == 0);
  const JerkLaw law(field.gravity);
  return accumulate == Accumulate::fast ? prepare<false>(law, map, n, tile, cut)
                                        : prepare<true>(law, map, n, tile, cut);
}

}  // namespace tri::cuda
