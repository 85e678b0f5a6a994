#pragma once
/// `lambda-x`, `lambda-n`, `lambda-r`: the map of the papers as published, in float32 without a repair, on the papers'
/// square grid. They are kept for comparison; each is exact up to a limit and wrong beyond it.
///
///     side 4: T2(4) = 10 tiles on a grid of 4 x 4     tiles (omega = x + 4y)
///        0  1  2  3                                     0
///        4  5  6  7                                     1  2
///        8  9 10 11    10..15 exit at once              3  4  5
///       12 13 14 15                                     6  7  8  9
///
///     i = floor(root(2w + 1/4) - 1/2 + eps),   j = w - i(i+1)/2
///
///     map       root                                     eps     exact to      first wrong
///     lambda-x  sqrtf                                    0       4607 rows     the last w of row 4607, taken for 4608
///     lambda-n  v * three Newton steps for 1/sqrt(v)     1e-4    1949 rows     the first w of row 1949, taken for 1948
///     lambda-r  v * rsqrtf(v)                            1e-4    2054 rows     the first w of row 2054 (host)
///
/// lambda-n: the steps are y <- y fma(-(v/2) y, y, 3/2), as nvcc contracts them by default; without fused
/// multiply-add the limit would be 1622 rows. lambda-r: rsqrtf is the device's approximation, and 1/sqrt on the host.
/// The host is wrong one row earlier than the device (2055); the limit stated is the smaller one. All float operations
/// are pinned (tri::rounded), so that no compiler flag changes these numbers.
///
/// Source: TRI 4.1, LTM III-A. Launches: one, S x S with S = ceil(sqrt(T2(m))). Idle: S^2 - T2(m) positions, 0.71 m on
/// average and at most 1.5 m.

#include "triangle_base.hpp"

namespace tri {

enum class HistoricalRoot : u8 { x, n, r };

namespace detail {

/// root(v) as published; v > 0.
template <HistoricalRoot kRoot>
TRI_HD TRI_INLINE float historical_root(float v) {
  if constexpr (kRoot == HistoricalRoot::x) {
    return rounded::sqrt(v);
  } else if constexpr (kRoot == HistoricalRoot::r) {
    return rounded::mul(v, rounded::rsqrt(v));
  } else {
    const float half = rounded::mul(0.5f, v);
    float y = float_from_bits(0x5f3759dfu - (float_bits(v) >> 1));
    for (int step = 0; step < 3; ++step) y = rounded::mul(y, rounded::fma(-rounded::mul(half, y), y, 1.5f));
    return rounded::mul(v, y);
  }
}

inline constexpr MapInfo kHistoricalInfo[] = {
    {"lambda-x", Domain::triangle, Space::block, "i = floor(sqrtf(2w + 1/4) - 1/2), square grid", "TRI 4.1, LTM III-A",
     "4607 tiles a side in float32", 4607, "lambda", true},
    {"lambda-n", Domain::triangle, Space::block, "i = floor(v newton3(v) - 1/2 + 1e-4), v = 2w + 1/4, square grid",
     "TRI 4.1, LTM III-A", "1949 tiles a side in float32", 1949, "lambda", true},
    {"lambda-r", Domain::triangle, Space::block, "i = floor(v rsqrtf(v) - 1/2 + 1e-4), v = 2w + 1/4, square grid",
     "TRI 4.1, LTM III-A", "2054 tiles a side in float32", 2054, "lambda", true},
};

}  // namespace detail

/// Row of w as the papers compute it, right or wrong.
template <HistoricalRoot kRoot>
TRI_HD TRI_INLINE u32 historical_row(u64 w) {
  const float v = rounded::add(rounded::mul(2.0f, static_cast<float>(w)), 0.25f);
  float row = rounded::add(detail::historical_root<kRoot>(v), -0.5f);
  if constexpr (kRoot != HistoricalRoot::x) row = rounded::add(row, 1e-4f);
  return static_cast<u32>(row > 0.0f ? row : 0.0f);
}

template <HistoricalRoot kRoot>
class TriangleLambdaHistorical : public TriangleBase {
 public:
  static constexpr MapInfo kInfo = detail::kHistoricalInfo[static_cast<int>(kRoot)];

  TRI_HD TriangleLambdaHistorical(u32 side, Diagonal diagonal)
      : TriangleBase(side, diagonal), grid_(static_cast<u32>(ceil_sqrt(tile_count()))) {}

  TRI_HD constexpr Launch launch(u32 pass) const { return {grid_, grid_, 1, pass}; }

  TRI_HD TRI_INLINE Cursor begin(Position p) const {
    const u64 w = p.x + u64{p.y} * grid_;
    if (w >= tile_count()) return nothing();
    const u32 row = historical_row<kRoot>(w);
    return found(row, static_cast<u32>(w - triangular_of_row(row)));
  }

 private:
  u32 grid_;  ///< side of the papers' square grid
};

using TriangleLambdaX = TriangleLambdaHistorical<HistoricalRoot::x>;
using TriangleLambdaN = TriangleLambdaHistorical<HistoricalRoot::n>;
using TriangleLambdaR = TriangleLambdaHistorical<HistoricalRoot::r>;

}  // namespace tri
