#pragma once
/// Expressions as a graph: canonical forms, fractions as exponents, derivatives.

#include <cmath>
#include <compare>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/text/law_program.hpp"

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
inline constexpr i32 kMaxExponent = 10000, kMaxDenominator = 10000;

/// Nothing where the result is beyond the limits.
inline std::optional<Rational> make_rational(i64 top, i64 bottom) {
  if (bottom < 0) top = -top, bottom = -bottom;
  const i64 common = std::gcd(top, bottom);
  if (common > 1) top /= common, bottom /= common;
  if (bottom > kMaxDenominator || top > i64{kMaxExponent} * bottom || top < -i64{kMaxExponent} * bottom) return {};
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
  if (!(std::fabs(value) <= kMaxExponent)) return {};
  for (i32 bottom = 1; bottom <= 128; ++bottom) {
    const double top = std::nearbyint(value * bottom);
    if (top / bottom == value) return make_rational(static_cast<i64>(top), bottom);
  }
  return {};
}

// Expressions in a canonical form, each kept once: what the derivative and the programs are made from.
//
//     sum      c0 + c1 t1 + c2 t2 ...    numbers c, terms t that are no sums and no numbers, in the order of their ids
//     product  b1^e1 b2^e2 ...           exponents e are fractions; bases b are no products where that may be avoided
//     call     one of the functions of Op, of other expressions
//
// Equal expressions have equal ids as far as this form goes: sums and products are flattened, terms and powers of the
// same base collected, numbers folded. Exponents are multiplied, (x^a)^b = x^(a b), only for whole b or where x cannot
// be negative: (s^2)^(1/2) stays |s|, and (s / r)^(1/2) becomes s^(1/2) r^(-1/2), because a distance is positive. A
// result may be finite where the text's is not (x/x at 0), never the other way round.
//
// Operands have smaller ids than what is made of them.

using Id = u32;

/// What a law's expressions are of: q (of a triple: three), the columns of a pair, parameters. q = r^2 + softening^2.
struct Symbol {
  static constexpr u32 q = 0, mi = 3, mj = 4, ri = 5, rj = 6, qi = 7, qj = 8, parameter = 16;
};
/// Bits of Expression::depends.
constexpr u64 symbol_bit(u32 symbol) { return u64{1} << symbol; }
inline constexpr u64 kInputBits = symbol_bit(Symbol::parameter) - 1;
inline constexpr u64 kDistanceBits = 7;

enum class Form : u8 { sum, product, symbol, call };

struct Term {
  double factor;
  Id id;
};
struct Power {
  Id base;
  Rational exponent;
};

struct Expression {
  Form form = Form::sum;
  Op op = Op::number;  ///< of a call
  u32 symbol = 0;
  double constant = 0;  ///< of a sum; a number is a sum without terms
  std::vector<Term> terms{};
  std::vector<Power> powers{};
  std::vector<Id> arguments{};
  u64 depends = 0;  ///< symbol_bit() of all symbols in it
  u32 depth = 0;
  bool not_negative = false;  ///< for all values of its symbols

  bool is_number() const { return form == Form::sum && terms.empty(); }
};

/// A limit of the form: the sentence says which.
struct BeyondLimit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Dag {
 public:
  /// Most terms, powers and arguments in all expressions together, and most levels of one.
  static constexpr std::size_t kMaxParts = 1u << 20;
  static constexpr u32 kMaxLevels = 512;

  const Expression& operator[](Id id) const { return expressions_[id]; }
  std::size_t size() const { return expressions_.size(); }

  Id number(double value);
  Id symbol(u32 symbol, bool not_negative);
  Id sum(double constant, std::span<const Term> terms);
  Id product(double factor, std::span<const Power> powers);
  Id call(Op op, std::span<const Id> arguments);

  Id add(Id x, Id y);
  Id subtract(Id x, Id y);
  Id multiply(Id x, Id y);
  Id scale(double factor, Id x);
  Id power(Id x, Rational exponent);
  Id power(Id x, Id exponent);  ///< any exponent
  Id call(Op op, Id x) { return call(op, std::span<const Id>(&x, 1)); }
  Id call(Op op, Id x, Id y);
  Id call(Op op, Id x, Id y, Id z);

  bool is_number(Id id, double value) const;
  /// Whether it contains an input of the bodies, and not only parameters.
  bool varies(Id id) const { return (expressions_[id].depends & kInputBits) != 0; }

  /// The expression and all that it is made of, which comes before it; nothing of those that are whole.
  std::set<Id> parts_of(Id id, const std::function<bool(Id)>& is_whole = nullptr) const;
  /// The expression with `with` in place of a symbol.
  Id substitute(Id id, u32 symbol, Id with);

 private:
  struct Product;

  Id intern(Expression e);
  void multiply_power(Product& product, Id base, Rational exponent);
  bool folds(Op op, std::span<const Id> arguments, double& value) const;
  Id rebuilt(const Expression& e, const std::unordered_map<Id, Id>& ids);

  std::vector<Expression> expressions_;
  std::unordered_map<std::string, Id> known_;
  std::size_t parts_ = 0;
};

// Symbolic derivatives.

/// dE/d(symbol). Piecewise functions have the derivative of the piece: abs, min, max, select; that of step, floor and
/// ceil is 0 (their jumps give no force). Throws BeyondLimit.
Id derivative(Dag& dag, Id energy, u32 symbol);

}  // namespace tri::expression
