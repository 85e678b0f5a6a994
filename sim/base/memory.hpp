#pragma once
/// Memory asked about before it is taken, for any backend. Bytes are counted in float64: a product of sizes that a user
/// asks for may pass 2^64, and must then be refused, not wrap round and fit.

#include <algorithm>
#include <string>

#include "sim/base/platform.hpp"

namespace tri {

/// Bytes of host memory that may still be allocated without swapping or being killed: the least of MemAvailable and
/// what the control group leaves. The largest number where the system tells nothing.
u64 available_memory();

/// Throws MemoryError when `bytes` exceed available_memory():
/// "<what> needs 12.0 GiB; 3.1 GiB of memory are free. <cure>."
void need_memory(double bytes, const std::string& what, const std::string& cure);

/// "12.3 GiB"
std::string gib_text(double bytes);

/// The largest n of 1..2^32-1 with bytes_of(n) <= available, for a message; 0 where not even one fits. bytes_of must
/// not decrease, and must not grow by more than a factor of 8 when n doubles if it counts in integers.
template <class BytesOf>
u64 largest_that_fits(const BytesOf& bytes_of, u64 available) {
  constexpr u64 kEnd = u64{1} << 32;
  // What a 64-bit count of bytes can be told to exceed, with a doubling to spare.
  const double limit = static_cast<double>(std::min(available, u64{1} << 60));
  const auto fits = [&](u64 n) { return static_cast<double>(bytes_of(n)) <= limit; };
  u64 low = 0, high = 1;
  while (high < kEnd && fits(high)) low = high, high *= 2;
  while (low + 1 < high) {
    const u64 middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// The cure for such a message: "<before><largest><after>", or that memory must be freed where nothing fits.
std::string cure_by_size(const std::string& before, u64 largest, const std::string& after);

}  // namespace tri
