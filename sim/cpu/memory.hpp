#pragma once
/// Memory asked about before it is taken, and arrays aligned and padded for vector loads.

#include <new>
#include <string>
#include <vector>

#include "sim/platform.hpp"

namespace tri::cpu {

/// Bytes that may still be allocated without swapping or being killed: the least of MemAvailable and what the control
/// group leaves. The largest number where the system tells nothing.
u64 available_memory();

/// Throws MemoryError when `bytes` exceed available_memory():
/// "<what> needs 12.0 GiB; 3.1 GiB of memory are free. <cure>."
void need_memory(u64 bytes, const std::string& what, const std::string& cure);

/// The largest n >= 1 with bytes_of(n) <= available_memory(), for a message; bytes_of must not decrease.
template <class BytesOf>
u64 largest_that_fits(const BytesOf& bytes_of) {
  const u64 available = available_memory();
  u64 low = 1, high = u64{1} << 32;
  while (low + 1 < high) {
    const u64 middle = low + (high - low) / 2;
    (bytes_of(middle) <= available ? low : high) = middle;
  }
  return low;
}

/// One cache line, and the widest vector.
inline constexpr std::size_t kAlignment = 64;
/// Elements behind the last one that a kernel may read (never use) with a whole vector.
inline constexpr std::size_t kPadding = 64;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment})); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete (p, std::align_val_t{kAlignment}); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// n elements and kPadding more, all zero.
template <class T>
AlignedVector<T> padded(std::size_t n) {
  return AlignedVector<T>(n + kPadding, T{});
}

}  // namespace tri::cpu
