#pragma once
/// Exact sums, whose bits do not depend on the order of their terms.
///
/// A sum consists of 64-bit integers ("bins"), bin b in units of 2^(16 b - Q): Q = 149 for float32, so that bin 0 holds
/// the smallest subnormal number, Q = 181 for float64. A term is added to the bin that its exponent selects, as an
/// exact integer: its mantissa shifted by 0 to 15 bits. Integer addition does not round, so any order yields the same
/// bins. No common quantum has to be guessed, neither from a bound of the law (there is none for eps = 0) nor from the
/// data (which would cost a pass over all pairs, or require history that a restart does not have).
///
///     value   1.10100...  * 2^e         24 bits (float64: 53, added as 27 + 26)
///     bins    ...|   b+1   |    b    |   b-1   |...      16 bits apart, 64 wide: they overlap, and 2^22 terms fit
///
/// Range: float32 all finite numbers. float64: terms of 2^128 or more are out of range and mark their body as broken;
/// what is below 2^-181 is rounded to that. Infinity and NaN also mark the body as broken.

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// Adds mantissa * 2^index, in units of the smallest quantum, to sums[bin * stride].
__device__ __forceinline__ void add_to_bin(unsigned long long* sums, u64 stride, u64 mantissa, u32 index,
                                           bool negative) {
  if (mantissa == 0) return;
  const u64 shifted = mantissa << (index & 15);
  atomicAdd(sums + (index >> 4) * stride, static_cast<unsigned long long>(negative ? 0 - shifted : shifted));
}

/// Returns false, and adds nothing, if the value is out of range.
__device__ __forceinline__ bool add_exactly(unsigned long long* sums, u64 stride, float value) {
  const u32 bits = __float_as_uint(value), exponent = bits >> 23 & 0xff;
  if (exponent == 0xff) return false;
  const u32 mantissa = (bits & 0x7fffff) | (exponent != 0 ? 0x800000 : 0);
  add_to_bin(sums, stride, mantissa, exponent != 0 ? exponent - 1 : 0, bits >> 31);
  return true;
}

__device__ __forceinline__ bool add_exactly(unsigned long long* sums, u64 stride, double value) {
  constexpr int kOffset = 1075 - 181;
  const u64 bits = static_cast<u64>(__double_as_longlong(value));
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent >= 1023 + 128) return false;
  u64 mantissa = (bits & 0xfffffffffffffull) | (exponent != 0 ? 0x10000000000000ull : 0);
  int index = (exponent != 0 ? exponent : 1) - kOffset;
  if (index < 0) {
    const int drop = -index;
    mantissa = drop > 54 ? 0 : (mantissa + (1ull << (drop - 1))) >> drop;
    index = 0;
  }
  const bool negative = bits >> 63;
  add_to_bin(sums, stride, mantissa & 0x3ffffff, static_cast<u32>(index), negative);
  add_to_bin(sums, stride, mantissa >> 26, static_cast<u32>(index) + 26, negative);
  return true;
}

}  // namespace tri::cuda
