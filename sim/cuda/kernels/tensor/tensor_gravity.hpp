#pragma once
/// Gravity of all pairs on tensor cores, in float32: accelerations with the accuracy of plain float32 sums, faster than
/// its instructions allow.
///
/// For two groups of bodies ("tiles") that are compact in space and apart from each other, the softened distance of a
/// pair is almost a product of one factor a body. With the centres' distance d and D2 = d.d + eps^2, and with a and b
/// the positions of bodies i and j relative to their centres,
///
///     P_i = 1 + (a.a - 2 d.a) / D2,   Q_j = 1 + (b.b + 2 d.b) / D2
///     r^2 + eps^2 = D2 P_i Q_j (1 + u_ij),   u_ij = -(2 a.b / D2 + (P_i - 1) (Q_j - 1)) / (P_i Q_j)
///
/// exactly: u has rank 4 and no cancellation. So (r^2 + eps^2)^(-3/2) = D2^(-3/2) P^(-3/2) Q^(-3/2) (1 + v) with
/// v = (1 + u)^(-3/2) - 1, which is small. A tensor core multiplies out u for 16 x 8 pairs at once, a polynomial in
/// half precision makes v of it, and two more products sum v over both sides. The 1 of 1 + v is a float32 sum over the
/// tile: only what makes up v passes through half precision. Pairs of tiles that are too near for this are computed in
/// plain float32.
///
/// far_tiles.cuh has the products, near_tiles.cuh the plain pairs, tile_pairs.cuh sorts pairs of tiles by how far apart
/// they are, ../bodies/body_order.cu keeps tiles compact. docs/tensor.md derives the error.

#include <functional>

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/cuda/kernels/tensor/tensor_arrays.hpp"

namespace tri::cuda {

/// Bodies a side of the tiles that a map of these sums visits: 32 x 32 pairs of tiles of 128 bodies.
inline constexpr u32 kTensorBlock = 4096;

/// Whether the current device, which is `device`, has the instructions and the program code for them: compute
/// capability 8.0 and later. Throws CudaError.
bool has_tensor_gravity(int device);

/// Device memory that the work takes beside the state and the output, in bytes.
u64 tensor_gravity_bytes(u64 n, Accumulate accumulate);

struct TensorGravity {
  /// As of prepare_pair_tiles(); grids must be launched in rising order, one after another.
  PairWork<float> sums;
  /// Sorts the bodies, after which sums are faster. Ordered sums sort by themselves, since their bits depend on it.
  std::function<void(cudaStream_t, const DeviceState<float>&)> sort;
};

/// The accelerations of n bodies; field.pair is gravity. map: in block space, exact for n bodies in tiles of
/// kTensorBlock. cut: of the map's positions. Allocates and waits; launches do not.
TensorGravity prepare_tensor_gravity(const ForceField& field, TriangleMapId map, u32 n, const TensorLimits& limits,
                                     Accumulate accumulate, const GridCut& cut);

}  // namespace tri::cuda
