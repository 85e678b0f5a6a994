// operator new of the program: large arrays lie in huge pages. The system then fills them faster, and frees gigabytes
// at the end of an interrupted program in milliseconds instead of in half a second.

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = std::size_t{32} << 20;  ///< at most 6 % more than is used

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes < kLarge) {
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(std::max<std::size_t>(bytes, 1));
    return std::aligned_alloc(alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  }
  const std::size_t unit = std::max(alignment, kHugePage);
  if (bytes > SIZE_MAX - unit) return nullptr;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  void* const memory = std::aligned_alloc(unit, whole);
  if (memory == nullptr) return nullptr;
  madvise(memory, whole, MADV_HUGEPAGE);  // a wish: small pages do, too
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    if (void* const memory = allocate(bytes, alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

// new[] and the nothrow forms call these.
void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
