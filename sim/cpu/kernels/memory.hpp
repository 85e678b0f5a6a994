#pragma once
/// Arrays aligned and padded for vector loads.

#include <cstddef>
#include <new>
#include <vector>

namespace tri::cpu {

/// One cache line, and the widest vector.
inline constexpr std::size_t kAlignment = 64;
/// Elements past the last one that a kernel may load (but never use) with a whole vector.
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

/// n elements plus kPadding, all zero.
template <class T>
AlignedVector<T> padded(std::size_t n) {
  return AlignedVector<T>(n + kPadding, T{});
}

}  // namespace tri::cpu
