// Launches of the kernel of jerk_tile.cuh.

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/pairs/jerk_tile.cuh"

namespace tri::cuda {
namespace {

template <bool kOrdered>
JerkWork prepare(const JerkLaw& law, TriangleMapId id, u32 n, u32 tile, u32 slices) {
  constexpr u32 kThreads = 32 * kJerkWarps;
  // A persistent map has as many blocks as the device holds, separately for each slice.
  const u32 workers = resident_workers(&jerk_tile_kernel<kOrdered, TriangleLambdaStream>, kThreads) * slices;
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream,
                          const DeviceState<double>& state, const JerkSums& out) {
    jerk_tile_kernel<kOrdered><<<grid_of(piece), kThreads, 0, stream>>>(map, piece, law, state, out, tile);
    check_launch("jerk tiles");
  };
  return prepare_on_map<const DeviceState<double>&, const JerkSums&>(id, n, tile, workers, on_kernel_map(launch),
                                                                     slices);
}

}  // namespace

JerkWork prepare_jerk_tiles(const ForceField& field, TriangleMapId map, u32 n, u32 tile, Accumulate accumulate,
                            u32 slices) {
  TRI_EXPECTS(tile > 0 && tile % kJerkSpan == 0);
  const JerkLaw law(field.gravity);
  return accumulate == Accumulate::fast ? prepare<false>(law, map, n, tile, slices)
                                        : prepare<true>(law, map, n, tile, slices);
}

}  // namespace tri::cuda
