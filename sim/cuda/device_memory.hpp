#pragma once
/// Memory of the current device, asked about before it is taken.

#include <string>

#include "sim/platform.hpp"

namespace tri::cuda {

/// Bytes of the current device that may be taken: what is free less a reserve for the driver's own needs.
u64 free_device_memory();

/// Throws MemoryError when `bytes` exceed free_device_memory():
/// "<what> needs 12.0 GiB of the card's memory; 3.1 GiB are free. <cure>."
void need_device_memory(u64 bytes, const std::string& what, const std::string& cure);

/// The largest n >= 1 with bytes_of(n) <= available, for that sentence; bytes_of must not decrease.
template <class BytesOf>
u64 largest_that_fits(const BytesOf& bytes_of, u64 available) {
  u64 low = 1, high = u64{1} << 31;
  while (low + 1 < high) {
    const u64 middle = low + (high - low) / 2;
    (bytes_of(middle) <= available ? low : high) = middle;
  }
  return low;
}

}  // namespace tri::cuda
