#pragma once
/// Triangular and tetrahedral numbers, and their exact inverses: the arithmetic under every map.
///
///     T2(k) = k(k+1)/2        cells in the rows above row k of the triangle with its diagonal
///     T3(k) = k(k+1)(k+2)/6   cells in the layers before layer k of the tetrahedron
///
/// T2 is exact for every 32-bit k, T3 for k <= 3,810,776 (the result would pass 2^63).
///
/// An inverse uses a floating-point root as a *seed* and repairs it in integers, so that no rounding mode, fused
/// multiply-add or fast-math flag can make it wrong: the seed only has to be within one (cube root: two above) of the
/// result. All functions are pure and may be called from any thread, on host and device.

#include "../base/platform.hpp"

namespace tri {

TRI_HD constexpr u64 triangular(u64 k) { return (k & 1) ? k * ((k + 1) / 2) : (k / 2) * (k + 1); }

TRI_HD constexpr u64 tetrahedral(u64 k) {
  // k(k+1)/2 is whole, and either it or (k+2) is divisible by 3: divide before multiplying.
  const u64 pairs = triangular(k);
  return pairs % 3 == 0 ? (pairs / 3) * (k + 2) : pairs * ((k + 2) / 3);
}

/// T2 of a 32-bit row: one wide product and a shift, without the branch on parity; (2^32-1) 2^32 fits 64 bits.
TRI_HD constexpr u64 triangular_of_row(u32 row) { return (u64{row} * (u64{row} + 1)) >> 1; }

/// T2 of the row before: cells of the strict triangle of a side, 0 for side 0, where its first factor is 0.
TRI_HD constexpr u64 triangular_before(u32 side) { return (u64{side} * (u64{side} - 1)) >> 1; }

/// The inverses are exact for rows and layers below these.
inline constexpr u64 kTriangularRootRows = u64{1} << 31;
inline constexpr u64 kTetrahedralRootLayers = 2'642'244;

/// How the float32 seed is computed. All are repaired to the same integer.
enum class RootSeed : u8 {
  sqrt,    ///< sqrtf (sqrt.approx under -use_fast_math)
  rsqrt,   ///< x * rsqrtf(x)
  newton,  ///< three Newton steps for 1/sqrt from 0x5f3759df, then x * that
};

namespace detail {

template <RootSeed kSeed>
TRI_HD TRI_INLINE float seed_root(float v) {
  if constexpr (kSeed == RootSeed::sqrt) {
    return std::sqrt(v);
  } else if constexpr (kSeed == RootSeed::rsqrt) {
    return v * rounded::rsqrt(v);
  } else {
    float y = float_from_bits(0x5f3759dfu - (float_bits(v) >> 1));
    for (int step = 0; step < 3; ++step) y *= 1.5f - 0.5f * v * y * y;
    return v * y;
  }
}

/// The repair of a seed that is at most one off the row of w: two selects, no jump.
TRI_HD TRI_INLINE u32 repaired_row(u64 w, u32 seed) {
  const u64 first = triangular_of_row(seed);
  if (first > w) return seed - 1;
  return seed + static_cast<u32>(w - first > seed);
}

TRI_HD TRI_INLINE u32 row_of_root(float root) {
  const float row = root - 0.5f;
  return static_cast<u32>(row > 0.0f ? row : 0.0f);
}

/// 6 T3(z) without a division; 64 bits hold it for z <= 2,642,244.
TRI_HD constexpr u64 six_tetrahedral(u32 z) { return u64{z} * (u64{z} + 1) * (u64{z} + 2); }

}  // namespace detail

/// Row of w by a float32 seed alone. Exact through row 8,390,655 by sqrt, 8,388,607 by rsqrt, 4,993,038 by newton.
template <RootSeed kSeed = RootSeed::sqrt>
TRI_HD TRI_INLINE u32 triangular_root_float(u64 w) {
  const float v = static_cast<float>(w);
  const float root = detail::seed_root<kSeed>(2.0f * v + 0.25f);
  return detail::repaired_row(w, detail::row_of_root(root));
}

/// Row of w by a float64 seed. Exact for every row < 2^31.
TRI_HD TRI_INLINE u32 triangular_root_double(u64 w) {
  const double row = std::sqrt(2.0 * static_cast<double>(w) + 0.25) - 0.5;
  return detail::repaired_row(w, static_cast<u32>(row > 0.0 ? row : 0.0));
}

/// The i with T2(i) <= w < T2(i+1). Exact for every i < 2^31. Below 2^32 the seed is float32, because a consumer GPU
/// has few float64 units; the branch is uniform in all but one block of a launch.
template <RootSeed kSeed = RootSeed::sqrt>
TRI_HD TRI_INLINE u32 triangular_root(u64 w) {
  if ((w >> 32) == 0) {
    const float v = static_cast<float>(static_cast<u32>(w));
    const float root = detail::seed_root<kSeed>(2.0f * v + 0.25f);
    return detail::repaired_row(w, detail::row_of_root(root));
  }
  return triangular_root_double(w);
}

/// The z with T3(z) <= w < T3(z+1). Exact for every z < 2,642,244 (6w must fit in 64 bits).
///
/// 6 T3(z) = (z+1)^3 - (z+1), so cbrt(6w) lies in [z + 1 - 1/(3(z+1)), z + 2): rounded down it is z or z + 1, and
/// float32 can round it up to z + 2 from about z = 2000 on (glibc: 2056). Hence two conditional decrements, and never
/// an increment.
TRI_HD TRI_INLINE u32 tetrahedral_root(u64 w) {
  const u64 six_w = 6 * w;
  if ((w >> 32) == 0) {
    u32 z = static_cast<u32>(std::cbrt(static_cast<float>(six_w)));
    z -= static_cast<u32>(detail::six_tetrahedral(z) > six_w);
    z -= static_cast<u32>(detail::six_tetrahedral(z) > six_w);
    return z;
  }
  u32 z = static_cast<u32>(std::cbrt(static_cast<double>(six_w)));
  z -= static_cast<u32>(detail::six_tetrahedral(z) > six_w);
  return z;
}

/// T3 of a layer that tetrahedral_root can return.
TRI_HD constexpr u64 tetrahedral_of_layer(u32 z) { return detail::six_tetrahedral(z) / 6; }

/// Row and column of a linear index of the triangle with its diagonal, in row order.
struct RowCol {
  u32 row = 0;
  u32 col = 0;
};
template <RootSeed kSeed = RootSeed::sqrt>
TRI_HD TRI_INLINE RowCol triangular_split(u64 w) {
  const u32 row = triangular_root<kSeed>(w);
  return {row, static_cast<u32>(w - triangular_of_row(row))};
}

/// Smallest s with s*s >= v, and with s*s*s >= v: sides of the papers' square and cubic grids. Exact for v < 2^62.
TRI_HD inline u64 ceil_sqrt(u64 v) {
  u64 s = static_cast<u64>(std::sqrt(static_cast<double>(v)));
  while (s * s < v) ++s;
  while (s > 0 && (s - 1) * (s - 1) >= v) --s;
  return s;
}
TRI_HD inline u64 ceil_cbrt(u64 v) {
  u64 s = static_cast<u64>(std::cbrt(static_cast<double>(v)));
  while (s * s * s < v) ++s;
  while (s > 0 && (s - 1) * (s - 1) * (s - 1) >= v) --s;
  return s;
}

}  // namespace tri
