#pragma once
/// Checks for free memory of the current device before an allocation.

#include <cstddef>
#include <string>

#include "sim/base/memory.hpp"

namespace tri::cuda {

/// Bytes that can be allocated on the current device: free memory less a reserve for the driver. Another program may
/// take them first; then DeviceBuffer throws MemoryError.
u64 free_device_memory();

/// Throws MemoryError when `bytes` exceed free_device_memory():
/// "<what> needs 12.0 GiB of GPU memory; 3.1 GiB are free. <hint>."
void require_device_memory(double bytes, const std::string& what, const std::string& hint);

[[noreturn]] void fail_device_memory(double bytes, u64 available, const std::string& what, const std::string& hint);

/// The same for n items; the hint is size_hint() of the largest n that fits. bytes_of as for largest_that_fits().
template <class BytesOf>
void require_device_memory_for(const BytesOf& bytes_of, u64 n, const std::string& what, const std::string& before,
                               const std::string& after) {
  const u64 available = free_device_memory();
  const auto bytes = static_cast<double>(bytes_of(n));
  if (bytes <= static_cast<double>(available)) return;
  fail_device_memory(bytes, available, what, size_hint(before, largest_that_fits(bytes_of, available), after));
}

/// cudaMalloc of `count` elements of `size` bytes; null if count is 0. Throws MemoryError: the memory may be gone since
/// free_device_memory() reported it.
void* allocate_device_memory(std::size_t count, std::size_t size);

}  // namespace tri::cuda
