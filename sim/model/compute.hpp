#pragma once
/// All-pairs jobs on user data and their results. A Backend runs them.

#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sim/model/bodies.hpp"
#include "sim/model/distance_layout.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// Number of values in an output of this layout. Exact for n < 2^32.
u64 distance_count(u64 n, DistanceLayout layout);

/// Number of values before row `row` <= n: a block of rows is contiguous in every layout. Row i holds the pairs (i, j)
/// with j > i (condensed), all j (square), j <= i (lower).
u64 distance_row_begin(u64 n, DistanceLayout layout, u64 row);

using DistanceValues = std::variant<std::vector<float>, std::vector<double>>;  ///< by precision
using DistanceSpan = std::variant<std::span<float>, std::span<double>>;        ///< likewise

struct DistanceResult {
  DistanceLayout layout = DistanceLayout::condensed;
  u32 n = 0;
  DistanceValues values;
  u64 work_items = 0;  ///< pairs
  double ms = 0;
};

struct CollisionResult {
  std::vector<std::pair<u32, u32>> pairs;  ///< (i, j), i > j, sorted; spheres that overlap or touch: |d| <= ri + rj
  std::vector<u32> per_body;               ///< [n] contacts of each body
  u64 work_items = 0;
  double ms = 0;
};

}  // namespace tri
