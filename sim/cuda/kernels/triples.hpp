#pragma once
/// Sums over triples: tiles, typed laws, counts, matrix products.
///
/// The sums of a triple law over all triples, tile by tile of a tetrahedral map. triple_tile.cuh
/// describes the algorithm; sums and launches have the types of pairs (pairs.hpp).

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/map_ids.hpp"

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

// The sums of a typed law over all triples, and of any triple law on a typed map: as triples.hpp for the law of
// Axilrod and Teller on built-in maps.

/// As prepare_triple_tiles(), for field.triple typed or a typed map; fast sums get no energy. May compile
/// (runtime_kernel.hpp), and throws as that does.
template <class Real>
PairWork<Real> prepare_typed_triples(const ForceField& field, TetraMapId map, u32 n, u32 tile, Accumulate accumulate,
                                     const GridCut& cut);

/// As enqueue_pair_energy() for the triples: partial[2, kEnergyBlocks], which enqueue_pair_energy_total() adds up.
template <class Real>
void enqueue_typed_triple_energy(const ForceField& field, const DeviceState<Real>& state, double* partial,
                                 const GridCut& cut, cudaStream_t stream);

// Kernels that count triples of points by their three sides one by one. jobs.cpp contains the job.

/// Writes to table [side, side], side >= n, the bin of the pair at [i, j] with i < j, elsewhere kNoBin. points:
/// [features, n]. squares: [bins + 1]. All device memory.
void enqueue_pair_bins(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table, u32 side,
                       cudaStream_t stream);

/// Adds 1 to counts[(p bins + q) bins + r] for each triple with all sides in bins p <= q <= r. table: [n, n], as above.
/// counts: [bins^3], zeroed by the caller. cut: of the map's positions.
PreparedLaunch prepare_triple_counts(TetraMapId map, u32 n, u32 bins, const u8* table, unsigned long long* counts,
                                     const GridCut& cut);

// Triples counted by their three sides as products of bit matrices, on the binary instructions of tensor cores.
//
// Let B_q be the matrix of bits that is 1 at (i, k), i < k, where the side of the pair is in bin q, and B_qr that of
// the sides in bin q or in bin r. Then (B_qr B_qr^T)(i, j) is the number of points k > j > i both of whose sides, to i
// and to j, are in one of the two, and
//
//     D_qr = B_qr B_qr^T - B_q B_q^T - B_r B_r^T    (q < r),    D_qq = B_q B_q^T
//
// counts those with one side in q and the other in r. The sum of D_qr over the pairs i < j in bin p is the number of
// triples with their first side in p and the others in q and r: all counts follow from bins (bins + 1) / 2 products,
// each of n^3 / 6 terms, of which an instruction adds 256 at a time. All of it is integer arithmetic, and exact.

/// Points a side of the tiles of pairs that a map of these products visits.
inline constexpr u32 kBitBlock = 128;
/// Cells of a row of bits, and rows, are a multiple of this.
inline constexpr u32 kBitPitch = 512;

inline constexpr u32 bit_pitch(u32 n) { return (n + kBitPitch - 1) / kBitPitch * kBitPitch; }

/// Products for so many bins.
inline constexpr u32 bit_products(u32 bins) { return bins * (bins + 1) / 2; }

/// The bins of a product, q <= r, in their order: (0, 0), (0, 1), (1, 1), (0, 2), ...
struct BinPair {
  u32 q, r;
};
BinPair bins_of_product(u32 product);

/// Whether the current device, which is `device`, has the instructions and the program code for them: compute
/// capability 8.0 or later. Throws CudaError.
bool has_bit_products(int device);

/// Device memory that the work takes beside table and sums, in bytes.
u64 bit_products_bytes(u64 n);

/// Writes to sums [bit_products(bins), bins] the sum of each product over the pairs i < j in each bin. table: of
/// enqueue_pair_bins() with bit_pitch(n) as rows and pitch, device memory. sums: zeroed by the caller. map: in block
/// space, exact for n points in tiles of kBitBlock. cut: of its positions; the grids must be launched in order.
PreparedLaunch prepare_bit_products(TriangleMapId map, u32 n, u32 bins, const u8* table, unsigned long long* sums,
                                    const GridCut& cut);

// Axilrod-Teller forces of all triples as matrix products, in float64 on tensor cores.
//
// The energy of a triple is a sum of products of one function a side. With x the square of a side and
//
//     P = x^(1/2),  Q = x^(-1/2),  R = x^(-3/2),  S = x^(-5/2),    v = (P, Q, R, S), zero for a body and itself,
//
// it is T(v_ij, v_jk, v_ki) with the symmetric trilinear form T of the cubic T(v, v, v) = R^3/4 + 9/4 QRS - 9/8 P S^2.
// Its derivative by x_ij, summed over all third bodies k, is T(v'_ij, sum of v_jk v_ki): matrix products of the
// matrices P, Q, R and S, ten of them as they stand. The cubic is also
//
//     [X1^3 + X2^3 - (X3^3 + X4^3) / 4] / 6 - 9/8 P' S^2,
//     X1 = R + Y,  X2 = R - Y,  X3 = R + 2Q,  X4 = R - 2Q,    Y = Q + 9/8 S,  P' = P + 9/8 R,
//
// which takes seven: X1^2, X2^2, X3^2, X4^2, S^2 and S P' + P' S. From them follow force and energy, each triple being
// met in its three pairs. Only the pairs i > j are needed, so a triangle map drives the tiles of the products; their
// elements are made from the positions as they are needed.
//
// Lengths are in units of the distance between neighbours, a power of two: the terms of long sides cancel to
// (shortest/longest)^2 of the largest, and so do those that the cubes add. docs/notes/tensor.md has the errors.

/// Bodies a side of the tiles that a map of these sums visits: 3 x 4 tiles of 64 x 48 pairs.
inline constexpr u32 kProductBlock = 192;

/// Whether the current device, which is `device`, has the instructions and the program code for them: compute
/// capability 9.0 or later. Throws CudaError.
bool has_triple_products(int device);

/// Device memory that the work takes beside the state and the output, in bytes.
inline u64 triple_products_bytes(u64 n) { return (n + kProductBlock) * 3 * sizeof(double); }

/// As of prepare_triple_tiles(), and launched like those. map: in
/// block space, exact for n bodies in tiles of kProductBlock. cut: of the map's positions.
PairWork<double> prepare_triple_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                         Accumulate accumulate, const GridCut& cut);

// Axilrod-Teller forces of all triples as matrix products, in float32 on tensor cores.
//
// With the tensor of two dipoles, T = (3 x x^t / r^2 - 1) / r^3 for a side x of length r, the energy of a triple is
// -nu/3 Tr(T_ij T_jk T_ki) (B. M. Axilrod, E. Teller, J. Chem. Phys. 11, 299, 1943). T is symmetric without trace:
//
//     T = [a r q; r b p; q p c],  a + b + c = 0,
//
// and the cube of such a matrix has a trace that is the sum of ten cubes,
//
//     18 Tr T^3 = 18 (p+q+r)^3 + 2 [(a-2q-2r)^3 + (b-2r-2p)^3 + (c-2p-2q)^3]
//                 + 8 [(a+q-r/2)^3 + (a+r-q/2)^3 + (b+r-p/2)^3 + (b+p-r/2)^3 + (c+p-q/2)^3 + (c+q-p/2)^3],
//
// so that Tr(T_ij T_jk T_ki) is a sum of ten products of one linear form L a side. Summed over all third bodies k they
// are ten products of the matrices L(T_ij) with themselves, from which follow force and energy of the pair, each
// triple being met in its three pairs. Ten is the least number over the real numbers. Unlike in the products of
// triples.hpp nothing cancels, so short numbers do: a value is a sum of two in half precision, 22 bits
// together, and of their four products three are added, in float32. docs/notes/tensor.md has the errors.

/// Whether the current device, which is `device`, has the instructions and the program code for them: compute
/// capability 8.0 and later. Throws CudaError.
bool has_triple_half_products(int device);

/// Device memory that the work takes beside the state and the output, in bytes.
u64 triple_half_products_bytes(u64 n);

/// As of prepare_triple_products(), which has the same tiles.
PairWork<float> prepare_triple_half_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                             Accumulate accumulate, const GridCut& cut);

}  // namespace tri::cuda
