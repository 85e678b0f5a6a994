#pragma once
/// Spheres in device memory, and where the kernels record those that overlap.

#include <vector_types.h>

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// A sphere in the kernels' layout: position and radius. In one dimension only x and r are used.
template <class Real>
struct alignas(4 * sizeof(Real) < 16 ? 4 * sizeof(Real) : 16) Sphere {
  Real x, y, z, r;
};

/// Output, device memory zeroed by the caller. Any of per_body and pairs may be nullptr.
struct CollisionOutput {
  unsigned long long* count = nullptr;  ///< [1] overlapping pairs; correct even when `pairs` overflows
  u32* per_body = nullptr;              ///< [n] contacts of each body
  uint2* pairs = nullptr;               ///< [capacity] (i, j), i > j, unordered; the first min(count, capacity) are set
  u64 capacity = 0;
};

/// Mark of a body of another rank in a list of pairs that ranks share (grid_search.hpp). Bodies have numbers below it.
inline constexpr u32 kForeign = u32{1} << 31;

}  // namespace tri::cuda
