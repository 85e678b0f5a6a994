#pragma once
/// All-pairs jobs on user data and their results. A Backend runs them.

#include <array>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

constexpr auto enum_table(DistanceLayout) {
  return enum_names<DistanceLayout>("layout", "condensed", "square", "lower", "blocks");
}

/// Number of values in an output of this layout. Exact for n < 2^32.
u64 distance_count(u64 n, DistanceLayout layout);

/// Number of values before row `row` <= n: a block of rows is contiguous in every layout. Row i holds the pairs (i, j)
/// with j > i (condensed), all j (square), j <= i (lower). The rows of blocks come in groups of distance_row_unit():
/// `row` is a multiple of it, or n.
u64 distance_row_begin(u64 n, DistanceLayout layout, u64 row);

constexpr u32 distance_row_unit(DistanceLayout layout) { return layout == DistanceLayout::blocks ? kDistanceBlock : 1; }

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

// Triples of points by the lengths of their three sides: the counts behind three-point correlation functions (DDD of a
// survey, triangle counts of a liquid). Every backend counts the same triples: a side's bin is computed once per pair,
// in float64, by the same operations in the same order; the rest is integer arithmetic.

/// Bins of a length: bin b contains edges[b] <= length < edges[b + 1].
struct SideBins {
  static constexpr u32 kMax = 64;
  std::vector<double> edges;  ///< 2 to kMax + 1 of them, >= 0, strictly increasing

  u32 size() const { return static_cast<u32>(edges.size()) - 1; }
};

/// Throws ConfigError that names the bad edge.
void check(const SideBins& bins);

struct TripleCounts {
  u32 bins = 0;
  /// [bins, bins, bins]: the count of triples with sides in bins p <= q <= r is at [p, q, r]; all other cells are 0.
  std::vector<u64> counts;
  u64 outside = 0;     ///< triples with a side in no bin
  u64 work_items = 0;  ///< triples in all
  double ms = 0;
  bool by_products = false;  ///< as matrix products, along a map of pairs; else one by one, along a map of triples
};

/// Squared distance of two points whose features are `stride` apart: products and sums in this order, none fused.
TRI_HD inline double squared_side(const double* a, const double* b, u64 stride, u32 features) {
  double sum = 0;
  for (u32 f = 0; f < features; ++f) {
    const double d = a[f * stride] - b[f * stride];
    sum += rounded::mul(d, d);
  }
  return sum;
}

/// Triples of n points: n(n-1)(n-2)/6.
u64 triple_count(u64 n);

/// Squares for side_bin(): of each edge the smallest whose root is the edge or more, so that bins are those of lengths.
std::vector<double> squares_of(const SideBins& bins);

}  // namespace tri
