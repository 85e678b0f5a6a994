#pragma once
/// Triples counted by their three sides as products of bit matrices, on the binary instructions of tensor cores.
///
/// Let B_q be the matrix of bits that is 1 at (i, k), i < k, where the side of the pair is in bin q, and B_qr that of
/// the sides in bin q or in bin r. Then (B_qr B_qr^T)(i, j) is the number of points k > j > i both of whose sides, to i
/// and to j, are in one of the two, and
///
///     D_qr = B_qr B_qr^T - B_q B_q^T - B_r B_r^T    (q < r),    D_qq = B_q B_q^T
///
/// counts those with one side in q and the other in r. The sum of D_qr over the pairs i < j in bin p is the number of
/// triples with their first side in p and the others in q and r: all counts follow from bins (bins + 1) / 2 products,
/// each of n^3 / 6 terms, of which an instruction adds 256 at a time. All of it is integer arithmetic, and exact.

#include <cuda_runtime_api.h>

#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

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

}  // namespace tri::cuda
