#pragma once
/// The order of cells along a Hilbert curve through a cube, on host and device (J. Skilling, Programming the Hilbert
/// curve, AIP Conf. Proc. 707, 381, 2004).

#include "sim/base/platform.hpp"

namespace tri {

/// Two zeros before each of the 21 lower bits.
TRI_HD constexpr u64 spread_bits(u64 x) {
  x = (x | x << 32) & 0x001f00000000ffff, x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f, x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

/// The place of a cell among 2^kBits a side: neighbouring keys are neighbouring cells. kBits <= 21.
template <u32 kBits>
TRI_HD constexpr u64 hilbert_key(u32 x, u32 y, u32 z) {
  u32 c[3] = {x, y, z};
  // Without branches, which no processor could predict.
  for (u32 b = kBits - 1; b > 0; --b) {
    const u32 lower = (1u << b) - 1;
    for (u32 k = 0; k < 3; ++k) {
      const u32 is_set = 0u - (c[k] >> b & 1);
      c[0] ^= lower & is_set;
      const u32 swapped = (c[0] ^ c[k]) & lower & ~is_set;
      c[0] ^= swapped, c[k] ^= swapped;
    }
  }
  c[1] ^= c[0], c[2] ^= c[1];
  u32 gray = c[2] >> 1;
  for (u32 b = 1; b < kBits; b *= 2) gray ^= gray >> b;
  return spread_bits(c[0] ^ gray) << 2 | spread_bits(c[1] ^ gray) << 1 | spread_bits(c[2] ^ gray);
}

}  // namespace tri
