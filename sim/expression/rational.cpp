#include "sim/expression/rational.hpp"

#include <cmath>
#include <numeric>

namespace tri::expression {

std::optional<Rational> make_rational(i64 top, i64 bottom) {
  if (bottom < 0) top = -top, bottom = -bottom;
  const i64 common = std::gcd(top, bottom);
  if (common > 1) top /= common, bottom /= common;
  if (bottom > kMostDenominator || top > i64{kMostExponent} * bottom || top < -i64{kMostExponent} * bottom) return {};
  return Rational{static_cast<i32>(top), static_cast<i32>(bottom)};
}

std::optional<Rational> sum(const Rational& x, const Rational& y) {
  return make_rational(i64{x.top} * y.bottom + i64{y.top} * x.bottom, i64{x.bottom} * y.bottom);
}

std::optional<Rational> product(const Rational& x, const Rational& y) {
  return make_rational(i64{x.top} * y.top, i64{x.bottom} * y.bottom);
}

std::optional<Rational> as_rational(double value) {
  if (!(std::fabs(value) <= kMostExponent)) return {};
  for (i32 bottom = 1; bottom <= 128; ++bottom) {
    const double top = std::nearbyint(value * bottom);
    if (top / bottom == value) return make_rational(static_cast<i64>(top), bottom);
  }
  return {};
}

}  // namespace tri::expression
