#pragma once
/// The quantum of ordered sums (force_sums.hpp) from their largest contribution.

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/platform.hpp"

namespace tri::cpu {

/// The number with these bits in this precision.
template <class Real>
double from_bits(u64 bits) {
  if constexpr (sizeof(Real) == 4) {
    return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits)));
  } else {
    return std::bit_cast<double>(bits);
  }
}

/// floor(log2(largest) / 2), largest > 0.
inline int bucket_of(double largest) {
  const int exponent = std::ilogb(largest);
  return exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
}

/// Clamped so that 2^e and 2^-e are normal numbers; contributions below 2^-950 all round to 0.
inline int scale_exponent(int bucket) { return std::min(51 - (2 * bucket + 2), 1000); }

}  // namespace tri::cpu
