#pragma once
/// splitmix64, and the point cloud used for reference values (x, y, z drawn in that order).
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants by Vigna.

#include <array>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri {

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

}  // namespace tri
