#if defined(TRI_LAWS_DISTANCE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_DISTANCE_HPP
#undef TRI_LAWS_DISTANCE_HPP
#else
#define TRI_LAWS_DISTANCE_HPP
#endif
/// Euclidean distance of points with 1..16 features, one feature at a time:
///
///     s = 0;  s = s + (a_f - b_f)^2 for every feature f;  d = sqrt(s)
///
/// The caller owns the loop over features and the memory. Differences are squared, not expanded, so that near points
/// lose no digits, and d(a, a) is exactly 0. Range: float32 squares cover differences from 1e-19 to 1e19; for others
/// see law_basics.hpp.

#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_region.hpp"

TRI_LAWS_BEGIN

struct Distance {
  static constexpr const char* kName = "distance";
  static constexpr u32 kMaxFeatures = 16;

  /// The sum with one more feature of the two points.
  template <class M, class V = typename M::Value>
  static TRI_HD TRI_INLINE V add(M, V sum, V a, V b) {
    const V difference = a - b;
    return M::mul_add(difference, difference, sum);
  }

  /// The distance from the finished sum.
  template <class M, class V = typename M::Value>
  static TRI_HD TRI_INLINE V finish(M, V sum) {
    return M::sqrt(sum);
  }
};

TRI_LAWS_END
#endif
