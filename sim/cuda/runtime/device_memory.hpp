#pragma once
/// Memory of the current device, asked about before it is taken.

#include <cstddef>
#include <string>

#include "sim/base/memory.hpp"

namespace tri::cuda {

/// Bytes of the current device that may be taken: what is free less a reserve for the driver's own needs. Another
/// program may take them first; then DeviceBuffer throws MemoryError.
u64 free_device_memory();

/// Throws MemoryError when `bytes` exceed free_device_memory():
/// "<what> needs 12.0 GiB of the card's memory; 3.1 GiB are free. <cure>."
void need_device_memory(double bytes, const std::string& what, const std::string& cure);

[[noreturn]] void fail_device_memory(double bytes, u64 available, const std::string& what, const std::string& cure);

/// The same for work on n things, with the largest n that fits between the two halves of the cure. bytes_of as for
/// largest_that_fits().
template <class BytesOf>
void need_device_memory_for(const BytesOf& bytes_of, u64 n, const std::string& what, const std::string& before,
                            const std::string& after) {
  const u64 available = free_device_memory();
  const auto bytes = static_cast<double>(bytes_of(n));
  if (bytes <= static_cast<double>(available)) return;
  fail_device_memory(bytes, available, what, cure_by_size(before, largest_that_fits(bytes_of, available), after));
}

/// cudaMalloc of `count` elements of `size` bytes; null for none. Throws MemoryError: between a prediction and the
/// taking another program may have been quicker.
void* take_device_memory(std::size_t count, std::size_t size);

}  // namespace tri::cuda
