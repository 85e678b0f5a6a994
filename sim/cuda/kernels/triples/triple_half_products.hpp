#pragma once
/// Axilrod-Teller forces of all triples as matrix products, in float32 on tensor cores.
///
/// With the tensor of two dipoles, T = (3 x x^t / r^2 - 1) / r^3 for a side x of length r, the energy of a triple is
/// -nu/3 Tr(T_ij T_jk T_ki) (B. M. Axilrod, E. Teller, J. Chem. Phys. 11, 299, 1943). T is symmetric without trace:
///
///     T = [a r q; r b p; q p c],  a + b + c = 0,
///
/// and the cube of such a matrix has a trace that is the sum of ten cubes,
///
///     18 Tr T^3 = 18 (p+q+r)^3 + 2 [(a-2q-2r)^3 + (b-2r-2p)^3 + (c-2p-2q)^3]
///                 + 8 [(a+q-r/2)^3 + (a+r-q/2)^3 + (b+r-p/2)^3 + (b+p-r/2)^3 + (c+p-q/2)^3 + (c+q-p/2)^3],
///
/// so that Tr(T_ij T_jk T_ki) is a sum of ten products of one linear form L a side. Summed over all third bodies k they
/// are ten products of the matrices L(T_ij) with themselves, from which follow force and energy of the pair, each
/// triple being met in its three pairs. Ten is the least number over the real numbers. Unlike in the products of
/// triple_products.hpp nothing cancels, so short numbers do: a value is a sum of two in half precision, 22 bits
/// together, and of their four products three are added, in float32. docs/tensor.md has the errors.

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"

namespace tri::cuda {

/// Whether the current device, which is `device`, has the instructions and the program code for them: compute
/// capability 8.0 and later. Throws CudaError.
bool has_triple_half_products(int device);

/// Device memory that the work takes beside the state and the output, in bytes.
u64 triple_half_products_bytes(u64 n);

/// As of prepare_triple_products(), which has the same tiles.
PairWork<float> prepare_triple_half_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                             Accumulate accumulate, const GridCut& cut);

}  // namespace tri::cuda
