#pragma once
/// laws::wrap() in a kernel with the bits of the host, where products are not fused with sums.

#include "sim/laws/wall.hpp"

namespace tri::cuda {

template <class Real>
__device__ inline void wrap_unfused(Real& x, Real low, Real high) {
  const Real length = high - low;
  if (x >= low - length && x < high + length) {
    laws::wrap(x, low, high);  // without a product
    return;
  }
  const Real sides = floor((x - low) / length);
  if constexpr (sizeof(Real) == sizeof(float)) {
    x -= __fmul_rn(length, sides);
  } else {
    x -= __dmul_rn(length, sides);
  }
  if (x >= high || x < low) x = low;
}

}  // namespace tri::cuda
