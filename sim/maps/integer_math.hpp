#pragma once
/// Integer functions of typed maps, the same on host and device: floors of roots by a floating-point seed that is
/// repaired in integers, counts of bits, and the upper half of a product. Pure.

#include "../base/platform.hpp"

namespace tri {

/// floor(sqrt(v)) for v < 2^63. Below 2^32, where most indices are, by float32, because many GPUs have few units for
/// float64: the root is off by less than 1/100, so its floor by 1 at most.
TRI_HD TRI_INLINE u64 floor_sqrt(u64 v) {
  if (v <= 0xffffffffu) {
    const u32 low = static_cast<u32>(v), near = static_cast<u32>(std::sqrt(static_cast<float>(low)));
    const u64 square = u64{near} * near;
    if (square > low) return near - 1;
    return near + (low - static_cast<u32>(square) > 2 * near ? 1 : 0);
  }
  u64 root = static_cast<u64>(std::sqrt(static_cast<double>(v)));
  while (root * root > v) --root;
  while ((root + 1) * (root + 1) <= v) ++root;
  return root;
}

/// floor(cbrt(v)) for v < 2^63, so at most 2,097,151.
TRI_HD TRI_INLINE u64 floor_cbrt(u64 v) {
  u64 root = static_cast<u64>(std::cbrt(static_cast<double>(v)));
  while (root * root * root > v) --root;
  while ((root + 1) * (root + 1) * (root + 1) <= v) ++root;
  return root;
}

/// Zero bits above the highest bit of v that is set; 64 for 0.
TRI_HD TRI_INLINE u32 leading_zeros(u64 v) {
  const u32 high = static_cast<u32>(v >> 32), low = static_cast<u32>(v);
  if (high != 0) return 31 - floor_log2(high);
  return low != 0 ? 63 - floor_log2(low) : 64;
}

/// Bits of v that are set.
TRI_HD constexpr u32 bit_count(u64 v) {
  v -= (v >> 1) & 0x5555555555555555u;
  v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<u32>((v * 0x0101010101010101u) >> 56);
}

/// Zero bits below the lowest bit of v that is set; 64 for 0.
TRI_HD constexpr u32 trailing_zeros(u64 v) { return v == 0 ? 64 : bit_count((v & (~v + 1)) - 1); }

/// floor(a b / 2^64).
TRI_HD constexpr i64 upper_product(i64 a, i64 b) {
  const u64 x = static_cast<u64>(a), y = static_cast<u64>(b), low = 0xffffffffu;
  const u64 middle = (x >> 32) * (y & low) + (((x & low) * (y & low)) >> 32);
  const u64 cross = (x & low) * (y >> 32) + (middle & low);
  u64 high = (x >> 32) * (y >> 32) + (middle >> 32) + (cross >> 32);
  if (a < 0) high -= y;
  if (b < 0) high -= x;
  return static_cast<i64>(high);
}

}  // namespace tri
