#pragma once
/// The sums of a typed law over all pairs, and of any law on a typed map, by the kernels of kernels/pairs, compiled at
/// run time for law and map: as pair_tiles.hpp for the laws of sim/laws on built-in maps.

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

/// As prepare_pair_tiles(), for field.pair typed or a typed map. May compile (runtime_kernel.hpp), and throws as that
/// does.
template <class Real>
PairWork<Real> prepare_typed_tiles(const ForceField& field, TriangleMapId map, u32 n, const PairTiling& tiling,
                                   Accumulate accumulate, const GridCut& cut);

/// As enqueue_pair_energy(), likewise.
template <class Real>
void enqueue_typed_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                          cudaStream_t stream);

}  // namespace tri::cuda
