#pragma once
/// Exponents: fractions of small whole numbers.

#include <compare>
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
std::optional<Rational> make_rational(i64 top, i64 bottom);
std::optional<Rational> sum(const Rational& x, const Rational& y);
std::optional<Rational> product(const Rational& x, const Rational& y);
/// The fraction with a denominator of at most 128 that rounds to this number, if there is one.
std::optional<Rational> as_rational(double value);

}  // namespace tri::expression
