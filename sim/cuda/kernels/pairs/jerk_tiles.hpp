#pragma once
/// Accelerations and jerks of gravity over all pairs (laws/gravity_jerk.hpp), in float64, tile by tile of a triangle
/// map, and the largest squared rates of a pair. jerk_tile.cuh has the kernel, pair_exact.cuh the ordered sums.

#include "sim/cuda/kernels/pairs/jerk_sums.hpp"
#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

using JerkWork = Prepared<const DeviceState<double>&, const JerkSums&>;

/// map: in block space, exact at this size. tile: one of kPairTiles (pair_tuning.hpp).
JerkWork prepare_jerk_tiles(const ForceField& field, TriangleMapId map, u32 n, u32 tile, Accumulate accumulate,
                            const GridCut& cut);

}  // namespace tri::cuda
