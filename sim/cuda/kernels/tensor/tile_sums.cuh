#pragma once
/// Where the sums of tiles go.

#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/tensor/tensor_arrays.hpp"

namespace tri::cuda {

/// Copies of the fast sums, in the order of the curve: fewer additions to each float32 number than to one copy, and so
/// fewer roundings.
inline constexpr u32 kSumCopies = 8;

template <bool kOrdered>
struct TileSums {
  PairSums<float> sums;           ///< ordered: of the bodies in their own order
  Vec4<float>* copies = nullptr;  ///< fast: [kSumCopies, padded], zero at first
  const u32* order = nullptr;     ///< [n]
  u32 n = 0, padded = 0;

  /// Adds to the s-th body on the curve; `copy` spreads the additions.
  __device__ __forceinline__ void add(u32 s, u32 copy, const Sum3<float>& sum) const {
    if constexpr (kOrdered) {
      if (s < n) add_sum<true>(sums, n, order[s], sum);
    } else {
      add_fast(copies + std::size_t{copy % kSumCopies} * padded + s, sum);
    }
  }
};

}  // namespace tri::cuda
