#pragma once
/// The order of all-pairs distances in memory.

#include "sim/base/platform.hpp"

namespace tri {

/// condensed: [n(n-1)/2], exactly SciPy's pdist order. square: [n, n], symmetric, zero diagonal.
/// lower: [n(n+1)/2], the lower triangle with the diagonal, row by row.
enum class DistanceLayout : u8 { condensed, square, lower };
inline constexpr DistanceLayout kDistanceLayouts[] = {DistanceLayout::condensed, DistanceLayout::square,
                                                      DistanceLayout::lower};

}  // namespace tri
