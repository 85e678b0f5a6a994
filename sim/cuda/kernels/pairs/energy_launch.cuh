#pragma once
/// The launches of an energy kernel (pair_energy.cuh) over all pairs of n bodies.

#include <algorithm>

#include "sim/cuda/kernels/pairs/pair_energy.cuh"
#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/watched_launches.hpp"
#include "sim/maps/triangle_lambda.hpp"

namespace tri::cuda {

/// Tiles per block in one launch: 1.4e8 pairs in all, 50 ms on a small device with slow float64. Like the number of
/// blocks it is the same everywhere, since the order of additions depends on it.
inline constexpr u32 kEnergyRounds = 8;

/// Clears partial[2, kEnergyBlocks] and calls launch(map, first, end), which is to start kEnergyBlocks blocks, for all
/// ranges of tiles.
template <class Launch>
void launch_energy(u32 n, double* partial, const GridCut& cut, cudaStream_t stream, const Launch& launch) {
  const TriangleLambda map((n + kEnergyThreads - 1) / kEnergyThreads, Diagonal::with);
  TRI_CUDA(cudaMemsetAsync(partial, 0, 2 * kEnergyBlocks * sizeof(double), stream));
  constexpr u64 kAtOnce = u64{kEnergyRounds} * kEnergyBlocks;
  const u64 tiles = map.tile_count();
  launch_all(stream, static_cast<u32>((tiles + kAtOnce - 1) / kAtOnce), cut, [&](u32 k) {
    const u64 first = k * kAtOnce;
    launch(map, first, std::min(tiles, first + kAtOnce));
  });
}

}  // namespace tri::cuda
