#pragma once
/// Axilrod-Teller forces of all triples as matrix products, in float64 on tensor cores.
///
/// The energy of a triple is a sum of products of one function a side. With x the square of a side and
///
///     P = x^(1/2),  Q = x^(-1/2),  R = x^(-3/2),  S = x^(-5/2),    v = (P, Q, R, S), zero for a body and itself,
///
/// it is T(v_ij, v_jk, v_ki) with the symmetric trilinear form T of the cubic T(v, v, v) = R^3/4 + 9/4 QRS - 9/8 P S^2.
/// Its derivative by x_ij, summed over all third bodies k, is T(v'_ij, sum of v_jk v_ki): matrix products of the
/// matrices P, Q, R and S, ten of them as they stand. The cubic is also
///
///     [X1^3 + X2^3 - (X3^3 + X4^3) / 4] / 6 - 9/8 P' S^2,
///     X1 = R + Y,  X2 = R - Y,  X3 = R + 2Q,  X4 = R - 2Q,    Y = Q + 9/8 S,  P' = P + 9/8 R,
///
/// which takes seven: X1^2, X2^2, X3^2, X4^2, S^2 and S P' + P' S. From them follow force and energy, each triple being
/// met in its three pairs. Only the pairs i > j are needed, so a triangle map drives the tiles of the products; their
/// elements are made from the positions as they are needed.
///
/// Lengths are in units of the distance between neighbours, a power of two: the terms of long sides cancel to
/// (shortest/longest)^2 of the largest, and so do those that the cubes add. docs/tensor.md has the errors.

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

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

}  // namespace tri::cuda
