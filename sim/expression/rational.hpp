#pragma once
/// Exponents: fractions of small whole numbers.

#include <cmath>
#include <compare>
#include <numeric>
#include <optional>

#include "sim/base/platform.hpp"

namespace tri::expression {

/// In lowest terms, the denominator positive.
struct Rational {
  i32 top = 0, bottom = 1;

  bool is_whole() const { return bottom == 1; }
  bool is_half() const { return bottom == 2; }
  double value() const { return static_cast<double>(top) / bottom; }
  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& x, const Rational& y) {
    return i64{x.top} * y.bottom <=> i64{y.top} * x.bottom;
  }
};

/// Exponents beyond these are refused or kept out of the canonical form.
inline constexpr i32 kMostExponent = 10000, kMostDenominator = 10000;

/// Nothing where the result is beyond the limits.
inline std::optional<Rational> make_rational(i64 top, i64 bottom) {
  if (bottom < 0) top = -top, bottom = -bottom;
  const i64 common = std::gcd(top, bottom);
  if (common > 1) top /= common, bottom /= common;
  if (bottom > kMostDenominator || top > i64{kMostExponent} * bottom || top < -i64{kMostExponent} * bottom) return {};
  return Rational{static_cast<i32>(top), static_cast<i32>(bottom)};
}

inline std::optional<Rational> sum(const Rational& x, const Rational& y) {
  return make_rational(i64{x.top} * y.bottom + i64{y.top} * x.bottom, i64{x.bottom} * y.bottom);
}

inline std::optional<Rational> product(const Rational& x, const Rational& y) {
  return make_rational(i64{x.top} * y.top, i64{x.bottom} * y.bottom);
}

/// The fraction with a denominator of at most 128 that rounds to this number, if there is one.
inline std::optional<Rational> as_rational(double value) {
  if (!(std::fabs(value) <= kMostExponent)) return {};
  for (i32 bottom = 1; bottom <= 128; ++bottom) {
    const double top = std::nearbyint(value * bottom);
    if (top / bottom == value) return make_rational(static_cast<i64>(top), bottom);
  }
  return {};
}

}  // namespace tri::expression
