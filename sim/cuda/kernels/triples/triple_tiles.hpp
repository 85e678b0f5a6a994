#pragma once
/// The sums of Axilrod and Teller's potential over all triples, tile by tile of a tetrahedral map. How the work is done
/// stands in triple_tile.cuh; sums and what is launched have the types of pairs (pair_tiles.hpp).

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

/// Bodies a side of the pieces that a tile is cut into: a tile is a multiple of it.
inline constexpr u32 kTripleCube = 32;
/// Tile sides of the kernels with many triples a thread.
inline constexpr std::initializer_list<u32> kTripleTiles{32, 64, 96, 128};
/// Block sides of the papers' kernel with one triple a thread.
inline constexpr std::initializer_list<u32> kTripleBlocks{4, 8};

/// Fast sums go to this many copies of the bodies, [copies, n], which gather_triple_sums() adds up in float64. Blocks
/// that run side by side add to different copies: thousands of terms a body then neither wait for each other nor lose
/// their digits in one large float32 sum. The papers' kernel has many small terms.
inline constexpr u32 kTripleCopies = 16, kElementCopies = 256;

/// Adds forces to the copies in sums.out, and energy to their fourth components, whose sum is that of all triples
/// (fast); or forces to the bins (ordered). map: exact at this size. tile: one of kTripleTiles. slices as in
/// prepare_pair_tiles().
template <class Real>
PairWork<Real> prepare_triple_tiles(const AxilrodTellerParams& law, TetraMapId map, u32 n, u32 tile,
                                    Accumulate accumulate, u32 slices);

/// The same in fast sums by one thread a triple in blocks of rho^3 threads, rho one of kTripleBlocks, in float32.
PairWork<float> prepare_triple_elements(const AxilrodTellerParams& law, TetraMapId map, u32 n, u32 rho);

/// out[n] becomes the sum of the copies in `from`.
template <class Real>
void gather_triple_sums(const Vec4<Real>* from, u32 copies, u32 n, Vec4<Real>* out, cudaStream_t stream);

/// Blocks of the energy kernel; each keeps one sum. The same on every device, so that the total is too.
inline constexpr u32 kTripleEnergyBlocks = 1056;

/// *result becomes the potential energy of all triples, all arithmetic in float64, in an order that n alone decides.
/// partial: [kTripleEnergyBlocks].
template <class Real>
void enqueue_triple_energy(const AxilrodTellerParams& law, const DeviceState<Real>& state, double* partial,
                           double* result, cudaStream_t stream);

}  // namespace tri::cuda
