#pragma once
/// Triples of points by the lengths of their three sides: the counts behind three-point correlation functions (DDD of a
/// survey, triangle counts of a liquid). Every backend counts the same triples: a side's bin is computed once per pair,
/// in float64, by the same operations in the same order; the rest is integer arithmetic.

#include <array>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/model/compute.hpp"

namespace tri {

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

/// The bin of a side outside all bins, and of an invalid pair.
inline constexpr u8 kNoBin = 255;

/// Squared distance of two points whose features are `stride` apart: products and sums in this order, none fused.
TRI_HD inline double squared_side(const double* a, const double* b, u64 stride, u32 features) {
  double sum = 0;
  for (u32 f = 0; f < features; ++f) {
    const double d = a[f * stride] - b[f * stride];
    sum += rounded::mul(d, d);
  }
  return sum;
}

/// squares: of the edges, [bins + 1].
TRI_HD inline u8 side_bin(const double* squares, u32 bins, double square) {
  if (!(square >= squares[0] && square < squares[bins])) return kNoBin;
  u32 low = 0, high = bins;  // squares[low] <= square < squares[high]
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    (square >= squares[middle] ? low : high) = middle;
  }
  return static_cast<u8>(low);
}

/// Triples of n points: n(n-1)(n-2)/6.
u64 triple_count(u64 n);

/// Squares of the edges, for side_bin().
std::vector<double> squares_of(const SideBins& bins);

}  // namespace tri
