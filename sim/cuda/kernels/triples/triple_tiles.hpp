#pragma once
/// The sums of a triple law over all triples, tile by tile of a tetrahedral map. triple_tile.cuh
/// describes the algorithm; sums and launches have the types of pairs (pair_tiles.hpp).

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/cuda/kernels/triples/triple_copies.hpp"

namespace tri::cuda {

/// Tile sides of the kernels with many triples per thread.
inline constexpr std::initializer_list<u32> kTripleTiles{32, 64, 96, 128};
/// Block sides of the papers' kernel with one triple per thread.
inline constexpr std::initializer_list<u32> kTripleBlocks{4, 8};

/// Adds forces to the copies in sums.out, and energy to their fourth components, whose sum is that of all triples
/// (fast; a typed law leaves them alone); or forces to the bins (ordered). The law field.triple: axilrod_teller or
/// typed. Compiles for typed laws and maps, as prepare_pair_tiles(). map: exact at this size. tile: one of
/// kTripleTiles. cut as for prepare_pair_tiles().
template <class Real>
PairWork<Real> prepare_triple_tiles(const ForceField& field, TetraMapId map, u32 n, u32 tile, Accumulate accumulate,
                                    const GridCut& cut);

/// The same in fast sums with one thread per triple in blocks of rho^3 threads, rho one of kTripleBlocks, in float32.
PairWork<float> prepare_triple_elements(const AxilrodTellerParams& law, TetraMapId map, u32 n, u32 rho,
                                        const GridCut& cut = {});

/// Writes the sum of the copies in `from` to out[n].
template <class Real>
void gather_triple_sums(const Vec4<Real>* from, u32 copies, u32 n, Vec4<Real>* out, cudaStream_t stream);

/// Blocks of the energy kernel; each keeps one sum. The same on every device, so that the total is too.
inline constexpr u32 kTripleEnergyBlocks = 1056;

/// Writes to partial[kTripleEnergyBlocks] sums that make up the potential energy of all triples, all arithmetic in
/// float64, in an order that depends on n alone; zeros for those of other ranks.
template <class Real>
void enqueue_triple_energy(const DeviceState<Real>& state, double* partial, const GridCut& cut, cudaStream_t stream);
/// Adds them up in *result.
void enqueue_triple_energy_total(const AxilrodTellerParams& law, const double* partial, double* result,
                                 cudaStream_t stream);

}  // namespace tri::cuda
