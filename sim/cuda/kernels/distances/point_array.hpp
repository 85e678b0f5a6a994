#pragma once
/// Points in device memory, as the kernels of all-pairs distances read them.

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// Tile side of the fast kernel.
inline constexpr u32 kDistanceTile = 256;

constexpr u32 vectors_of(u32 features) { return (features + 3) / 4; }

/// Points as kernels read them: features 4 q .. 4 q + 3 of point p are at values[q * vector_step + p * point_step], and
/// 0 beyond the last.
template <class Real>
struct PointArray {
  const Real* values;
  u64 point_step, vector_step;
  u32 features;
  bool whole;  ///< all vectors have four values in memory, aligned as a Vec4
};

}  // namespace tri::cuda
