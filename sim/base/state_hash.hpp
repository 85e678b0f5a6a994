#pragma once
/// FNV-1a, 64 bits: the state hash that `run` prints. Runs with equal hashes have bit-equal states.
/// http://www.isthe.com/chongo/tech/comp/fnv/ (Fowler, Noll, Vo).

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "sim/base/platform.hpp"

namespace tri {

/// The hash of the empty input; every chain of fnv1a() calls starts from it.
inline constexpr u64 kFnvOffset = 0xcbf29ce484222325ull;

/// Continues `hash` over `bytes` bytes at `data`. Hashing piecewise equals hashing the concatenation.
u64 fnv1a(u64 hash, const void* data, std::size_t bytes);

/// Continues `hash` over the bits of an array, in memory order.
template <class T>
u64 fnv1a(u64 hash, std::span<const T> values) {
  static_assert(std::is_arithmetic_v<T>, "padding bytes would make the hash nondeterministic");
  return fnv1a(hash, static_cast<const void*>(values.data()), values.size_bytes());
}

/// A hash of bytes that go through memory as fast as it gives them: FNV-1a over words of 8 bytes. Every change of a
/// single word changes it.
class WordHash {
 public:
  void add(const void* data, std::size_t bytes);
  u64 value() const;

 private:
  u64 hash_ = kFnvOffset, word_ = 0;
  u32 filled_ = 0;  ///< bytes of the word
};

/// 16 hexadecimal digits.
std::string hash_text(u64 hash);

}  // namespace tri
