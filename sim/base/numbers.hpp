#pragma once
/// Numbers: 128-bit integers, splitmix64, hashes of a state.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri {

/// A sum of any number of 64-bit terms.
__extension__ typedef __int128 Wide;

// splitmix64, and the point cloud used for reference values (x, y, z drawn in that order).
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants by Vigna.

struct SplitMix64 {
  u64 state = 42;

  u64 next() {
    state += 0x9E3779B97F4A7C15ull;
    u64 z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1): multiples of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

/// n points in the unit cube [0, 1)^3. A shorter cloud is a prefix of a longer one.
inline std::vector<std::array<double, 3>> cloud(u32 n, u64 seed = 42) {
  SplitMix64 random{seed};
  std::vector<std::array<double, 3>> points(n);
  for (auto& p : points) {
    for (double& coordinate : p) coordinate = random.uniform();
  }
  return points;
}

// FNV-1a, 64 bits: the state hash that `run` prints. Runs with equal hashes have bit-equal states.
// http://www.isthe.com/chongo/tech/comp/fnv/ (Fowler, Noll, Vo).

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
