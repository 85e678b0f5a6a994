#pragma once
/// The sums of a typed law over all triples, and of any triple law on a typed map: as triple_tiles.hpp for the law of
/// Axilrod and Teller on built-in maps.

#include "sim/cuda/kernels/triples/triple_tiles.hpp"

namespace tri::cuda {

/// As prepare_triple_tiles(), for field.triple typed or a typed map; fast sums get no energy. May compile
/// (runtime_kernel.hpp), and throws as that does.
template <class Real>
PairWork<Real> prepare_typed_triples(const ForceField& field, TetraMapId map, u32 n, u32 tile, Accumulate accumulate,
                                     const GridCut& cut);

/// As enqueue_pair_energy() for the triples: partial[2, kEnergyBlocks], which enqueue_pair_energy_total() adds up.
template <class Real>
void enqueue_typed_triple_energy(const ForceField& field, const DeviceState<Real>& state, double* partial,
                                 const GridCut& cut, cudaStream_t stream);

}  // namespace tri::cuda
