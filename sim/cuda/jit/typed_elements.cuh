#pragma once
/// The text of the kernels over single elements on typed maps: the dummies, write, checksums and the automaton. The
/// build joins it with all that it includes, as typed_pair.cuh.

#include "sim/cuda/jit/device_std.cuh"
#include "sim/cuda/kernels/element_work.cuh"
#include "sim/maps/integer_math.hpp"
#include "sim/maps/tetra_base.hpp"
#include "sim/maps/triangle_base.hpp"

namespace tri::cuda {

/// As element_kernel (element_work.cuh) and element3_kernel (element_kernels.cu).
template <class M, class Work>
__global__ void typed_element_kernel(const M map, const GridPiece piece, u32 n, Work work) {
  if constexpr (std::is_same_v<typename M::Tile, Tile3>) {
    for_each_triple(map, piece, n, work);
  } else {
    for_each_element(map, piece, n, [&](u32 i, u32 j) { work(i, j); });
  }
  work.finish();
}

}  // namespace tri::cuda
