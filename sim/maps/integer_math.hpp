#pragma once
/// Integer functions of typed maps, the same on host and device: floors of roots by a floating-point seed that is
/// repaired in integers, counts of bits, and the upper half of a product. Pure.

#include "../base/platform.hpp"

namespace tri {

/// floor(sqrt(v)), by float32, because many GPUs have few units for float64: the root is off by less than 1/100, so its
/// floor by 1 at most.
TRI_HD TRI_INLINE u32 floor_sqrt(u32 v) {
  const u32 near = static_cast<u32>(std::sqrt(static_cast<float>(v)));
  const u64 square = u64{near} * near;
  if (square > v) return near - 1;
  return near + (v - static_cast<u32>(square) > 2 * near ? 1 : 0);
}

/// The same for v < 2^63; below 2^32, where most indices are, by float32.
TRI_HD TRI_INLINE u64 floor_sqrt(u64 v) {
  if (v <= 0xffffffffu) return floor_sqrt(static_cast<u32>(v));
  u64 root = static_cast<u64>(std::sqrt(static_cast<double>(v)));
  while (root * root > v) --root;
  while ((root + 1) * (root + 1) <= v) ++root;
  return root;
}

/// floor(cbrt(v)), at most 1,625, so by float32 as above.
TRI_HD TRI_INLINE u32 floor_cbrt(u32 v) {
  const u32 near = static_cast<u32>(std::cbrt(static_cast<float>(v))), cube = near * near * near;
  if (cube > v) return near - 1;
  return near + (v - cube > 3 * near * (near + 1) ? 1 : 0);
}

/// The same for v < 2^63, so at most 2,097,151.
TRI_HD TRI_INLINE u64 floor_cbrt(u64 v) {
  u64 root = static_cast<u64>(std::cbrt(static_cast<double>(v)));
  while (root * root * root > v) --root;
  while ((root + 1) * (root + 1) * (root + 1) <= v) ++root;
  return root;
}

/// Zero bits above the highest bit of v that is set, of 64 bits for either type; 64 for 0.
TRI_HD TRI_INLINE u32 leading_zeros(u32 v) { return v != 0 ? 63 - floor_log2(v) : 64; }
TRI_HD TRI_INLINE u32 leading_zeros(u64 v) {
  const u32 high = static_cast<u32>(v >> 32);
  return high != 0 ? 31 - floor_log2(high) : leading_zeros(static_cast<u32>(v));
}

/// Bits of v that are set.
TRI_HD constexpr u32 bit_count(u32 v) {
  v -= (v >> 1) & 0x55555555u;
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0fu;
  return (v * 0x01010101u) >> 24;
}
TRI_HD constexpr u32 bit_count(u64 v) { return bit_count(static_cast<u32>(v)) + bit_count(static_cast<u32>(v >> 32)); }

/// Zero bits below the lowest bit of v that is set; 64 for 0.
TRI_HD constexpr u32 trailing_zeros(u32 v) { return v == 0 ? 64 : bit_count((v & (~v + 1)) - 1); }
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
