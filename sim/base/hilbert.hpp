#pragma once
/// The order of cells along a Hilbert curve through a cube, on host and device (J. Skilling, Programming the Hilbert
/// curve, AIP Conf. Proc. 707, 381, 2004).

#include "sim/base/platform.hpp"

namespace tri {

/// The place of a cell among 2^kBits a side: neighbouring keys are neighbouring cells. kBits <= 21.
template <u32 kBits>
TRI_HD constexpr u64 hilbert_key(u32 x, u32 y, u32 z) {
  u32 c[3] = {x, y, z};
  for (u32 bit = 1u << (kBits - 1); bit > 1; bit >>= 1) {
    const u32 lower = bit - 1;
    for (u32 k = 0; k < 3; ++k) {
      if (c[k] & bit) {
        c[0] ^= lower;
      } else {
        const u32 swapped = (c[0] ^ c[k]) & lower;
        c[0] ^= swapped, c[k] ^= swapped;
      }
    }
  }
  c[1] ^= c[0], c[2] ^= c[1];
  u32 gray = 0;
  for (u32 bit = 1u << (kBits - 1); bit > 1; bit >>= 1) {
    if (c[2] & bit) gray ^= bit - 1;
  }
  u64 key = 0;
  for (u32 b = kBits; b-- > 0;) {
    for (u32 k = 0; k < 3; ++k) key = key << 1 | ((c[k] ^ gray) >> b & 1);
  }
  return key;
}

}  // namespace tri
