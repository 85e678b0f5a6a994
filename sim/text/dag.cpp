/// Expressions as a graph: operations, programs, derivatives.

#include "sim/text/dag.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/text/law_program.hpp"

namespace tri::expression {

/// One of the functions of the C library.
template <class Real>
Real apply_function(Op op, Real a, Real b) {
  using Unary = Real (*)(Real);
  static constexpr std::pair<Op, Unary> kFunctions[] = {
      {Op::exp, std::exp},   {Op::log, std::log},   {Op::sin, std::sin},   {Op::cos, std::cos},   {Op::tan, std::tan},
      {Op::asin, std::asin}, {Op::acos, std::acos}, {Op::atan, std::atan}, {Op::sinh, std::sinh}, {Op::cosh, std::cosh},
      {Op::tanh, std::tanh}, {Op::erf, std::erf},   {Op::erfc, std::erfc}};
  if (op == Op::power) return std::pow(a, b);
  if (op == Op::atan2) return std::atan2(a, b);
  for (const auto& [function, call] : kFunctions) {
    if (function == op) return call(a);
  }
  TRI_UNREACHABLE("Op");
}

/// The result of an operation with these operands (not of input, uniform and number, which have none). With a NaN, min
/// gives its second operand and max its first, as in the arithmetic of the kernels (sim/laws/law_basics.hpp).
template <class Real>
Real apply(Op op, Real a, Real b, Real c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::multiply_add:
      return a * b + c;
    case Op::neg_multiply_add:
      return c - a * b;
    case Op::negate:
      return -a;
    case Op::reciprocal:
      return Real(1) / a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::rsqrt:
      return Real(1) / std::sqrt(a);
    case Op::rsqrt_cubed: {
      const Real inverse = Real(1) / std::sqrt(a);
      return inverse * (inverse * inverse);
    }
    case Op::abs:
      return std::fabs(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::min:
      return a < b ? a : b;
    case Op::max:
      return a < b ? b : a;
    case Op::step:
      return a < 0 ? Real(0) : Real(1);
    case Op::select:
      return a != 0 ? b : c;
    case Op::below:
      return a < b ? c : Real(0);
    default:
      return apply_function(op, a, b);
  }
}

u32 operand_count(Op op) {
  switch (op) {
    case Op::input:
    case Op::uniform:
    case Op::number:
      return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max:
      return 2;
    case Op::multiply_add:
    case Op::neg_multiply_add:
    case Op::select:
    case Op::below:
      return 3;
    default:
      return 1;
  }
}

std::string_view name_of(Op op) {
  constexpr std::string_view kNames[] = {"input",  "uniform",      "number",
                                         "add",    "subtract",     "multiply",
                                         "divide", "multiply_add", "neg_multiply_add",
                                         "negate", "reciprocal",   "sqrt",
                                         "rsqrt",  "rsqrt_cubed",  "power",
                                         "exp",    "log",          "sin",
                                         "cos",    "tan",          "asin",
                                         "acos",   "atan",         "atan2",
                                         "sinh",   "cosh",         "tanh",
                                         "erf",    "erfc",         "abs",
                                         "floor",  "ceil",         "min",
                                         "max",    "step",         "select",
                                         "below"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Op::below) + 1);
  return kNames[static_cast<std::size_t>(op)];
}

template <class Real>
std::vector<Real> Program::run(std::span<const Real> inputs, std::span<const Real> uniforms) const {
  std::vector<Real> results(code.size());
  for (std::size_t k = 0; k < code.size(); ++k) {
    const Instruction& i = code[k];
    switch (i.op) {
      case Op::input:
        results[k] = inputs[i.a];
        break;
      case Op::uniform:
        results[k] = uniforms[i.a];
        break;
      case Op::number:
        results[k] = static_cast<Real>(numbers[i.a]);
        break;
      default: {
        const u32 operands = operand_count(i.op);
        results[k] = apply<Real>(i.op, results[i.a], operands > 1 ? results[i.b] : Real(0),
                                 operands > 2 ? results[i.c] : Real(0));
      }
    }
  }
  std::vector<Real> values;
  for (const u32 output : outputs) values.push_back(results[output]);
  return values;
}

template std::vector<float> Program::run(std::span<const float>, std::span<const float>) const;
template std::vector<double> Program::run(std::span<const double>, std::span<const double>) const;
template std::vector<long double> Program::run(std::span<const long double>, std::span<const long double>) const;

namespace {

template <class Value>
void append_bytes(std::string& key, const Value& value) {
  char bytes[sizeof(Value)];
  std::memcpy(bytes, &value, sizeof(Value));
  key.append(bytes, sizeof(Value));
}

std::string key_of(const Expression& e) {
  std::string key;
  append_bytes(key, e.form);
  append_bytes(key, e.op);
  append_bytes(key, e.symbol);
  append_bytes(key, e.constant);
  for (const Term& t : e.terms) append_bytes(key, t.factor), append_bytes(key, t.id);
  for (const Power& p : e.powers) {
    append_bytes(key, p.base);
    append_bytes(key, p.exponent.top);
    append_bytes(key, p.exponent.bottom);
  }
  for (const Id a : e.arguments) append_bytes(key, a);
  return key;
}

bool is_even(const Rational& r) { return r.is_whole() && r.top % 2 == 0; }

[[noreturn]] void exponent_beyond() {
  throw BeyondLimit(fmt::format("an exponent here is beyond {} or no fraction of small whole numbers", kMaxExponent));
}

}  // namespace

/// A product while it is put together.
struct Dag::Product {
  double factor = 1;
  std::map<Id, Rational> powers;
};

Id Dag::intern(Expression e) {
  const auto is_finite = [](const Term& t) { return std::isfinite(t.factor); };
  if (!std::isfinite(e.constant) || !std::all_of(e.terms.begin(), e.terms.end(), is_finite)) {
    throw BeyondLimit("a constant here is not a finite number: a division by 0, or beyond float64");
  }
  std::string key = key_of(e);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto include = [&](Id id) {
    e.depends |= expressions_[id].depends;
    e.depth = std::max(e.depth, expressions_[id].depth + 1);
  };
  for (const Term& t : e.terms) include(t.id);
  for (const Power& p : e.powers) include(p.base);
  for (const Id a : e.arguments) include(a);
  parts_ += 1 + e.terms.size() + e.powers.size() + e.arguments.size();
  if (parts_ > kMaxParts || e.depth > kMaxLevels) throw BeyondLimit("the expression is too large");
  const Id id = static_cast<Id>(expressions_.size());
  expressions_.push_back(std::move(e));
  known_.emplace(std::move(key), id);
  return id;
}

Id Dag::number(double value) {
  Expression e;
  e.constant = value == 0 ? 0 : value;  // no -0
  e.not_negative = value >= 0;
  return intern(std::move(e));
}

Id Dag::symbol(u32 symbol, bool not_negative) {
  Expression e;
  e.form = Form::symbol;
  e.symbol = symbol;
  e.depends = symbol_bit(symbol);
  e.not_negative = not_negative;
  return intern(std::move(e));
}

Id Dag::sum(double constant, std::span<const Term> terms) {
  std::map<Id, double> collected;
  for (const Term& t : terms) {
    const Expression& e = expressions_[t.id];
    if (e.form != Form::sum) {
      collected[t.id] += t.factor;
      continue;
    }
    constant += t.factor * e.constant;
    for (const Term& inner : e.terms) collected[inner.id] += t.factor * inner.factor;
  }
  Expression e;
  e.constant = constant == 0 ? 0 : constant;
  e.not_negative = constant >= 0;
  for (const auto& [id, factor] : collected) {
    if (factor == 0) continue;
    e.terms.push_back({factor, id});
    e.not_negative = e.not_negative && factor > 0 && expressions_[id].not_negative;
  }
  if (e.terms.empty()) return number(constant);
  if (e.terms.size() == 1 && e.constant == 0 && e.terms[0].factor == 1) return e.terms[0].id;
  return intern(std::move(e));
}

void Dag::multiply_power(Product& product, Id base, Rational exponent) {
  const Expression& e = expressions_[base];
  if (e.is_number()) {
    product.factor *= std::pow(e.constant, exponent.value());
    return;
  }
  // c x = (c) (x), where the root of c may be taken apart
  if (e.form == Form::sum && e.terms.size() == 1 && e.constant == 0 && (exponent.is_whole() || e.terms[0].factor > 0)) {
    product.factor *= std::pow(e.terms[0].factor, exponent.value());
    return multiply_power(product, e.terms[0].id, exponent);
  }
  if (e.form == Form::product) {
    const std::vector<Power> powers = e.powers;  // what follows may move the expressions
    std::vector<Power> rest;
    for (const Power& p : powers) {
      const bool is_rooted = !exponent.is_whole() && !expressions_[p.base].not_negative;
      if (is_rooted && !is_even(p.exponent)) {
        rest.push_back(p);
        continue;
      }
      const auto total = expression::product(p.exponent, exponent);
      if (!total) exponent_beyond();
      // (b^2)^(1/2) = |b|
      multiply_power(product, is_rooted ? call(Op::abs, std::array{p.base}) : p.base, *total);
    }
    if (rest.empty()) return;
    // What may be negative stays together under the root.
    if (rest.size() < powers.size()) return multiply_power(product, this->product(1, rest), exponent);
  }
  auto& collected = product.powers[base];
  const auto total = expression::sum(collected, exponent);
  if (!total) exponent_beyond();
  collected = *total;
}

Id Dag::product(double factor, std::span<const Power> powers) {
  Product collected;
  collected.factor = factor;
  const std::vector<Power> copy(powers.begin(),
                                powers.end());  // they may be those of an expression, and expressions move
  for (const Power& p : copy) multiply_power(collected, p.base, p.exponent);
  if (collected.factor == 0) return number(0);
  Expression e;
  e.form = Form::product;
  e.not_negative = true;
  for (const auto& [base, exponent] : collected.powers) {
    if (exponent.top == 0) continue;
    e.powers.push_back({base, exponent});
    e.not_negative =
        e.not_negative && (expressions_[base].not_negative || is_even(exponent) || exponent.bottom % 2 == 0);
  }
  if (e.powers.empty()) return number(collected.factor);
  const bool is_base = e.powers.size() == 1 && e.powers[0].exponent == Rational{1, 1};
  const Id id = is_base ? e.powers[0].base : intern(std::move(e));
  return collected.factor == 1 ? id : scale(collected.factor, id);
}

Id Dag::add(Id x, Id y) { return sum(0, std::array{Term{1, x}, Term{1, y}}); }
Id Dag::subtract(Id x, Id y) { return sum(0, std::array{Term{1, x}, Term{-1, y}}); }
Id Dag::scale(double factor, Id x) { return sum(0, std::array{Term{factor, x}}); }
Id Dag::multiply(Id x, Id y) {
  for (const auto& [number, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (expressions_[number].is_number()) return scale(expressions_[number].constant, other);
  }
  return product(1, std::array{Power{x, {1, 1}}, Power{y, {1, 1}}});
}
Id Dag::power(Id x, Rational exponent) {
  if (exponent.top == 0) return number(1);
  return product(1, std::array{Power{x, exponent}});
}

Id Dag::power(Id x, Id exponent) {
  const Expression& e = expressions_[exponent];
  if (e.is_number()) {
    if (std::fabs(e.constant) > kMaxExponent) exponent_beyond();
    if (const auto rational = as_rational(e.constant)) return power(x, *rational);
  }
  return call(Op::power, x, exponent);
}

bool Dag::is_number(Id id, double value) const {
  return expressions_[id].is_number() && expressions_[id].constant == value;
}

Id Dag::call(Op op, Id x, Id y) { return call(op, std::array{x, y}); }
Id Dag::call(Op op, Id x, Id y, Id z) { return call(op, std::array{x, y, z}); }

bool Dag::folds(Op op, std::span<const Id> arguments, double& value) const {
  double v[3] = {0, 0, 0};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!expressions_[arguments[k]].is_number()) return false;
    v[k] = expressions_[arguments[k]].constant;
  }
  value = apply<double>(op, v[0], v[1], v[2]);
  return true;
}

Id Dag::call(Op op, std::span<const Id> arguments) {
  if (double value = 0; folds(op, arguments, value)) return number(value);
  const Expression& x = expressions_[arguments[0]];
  if (op == Op::abs && x.not_negative) return arguments[0];
  if (op == Op::select) {
    if (x.is_number()) return x.constant != 0 ? arguments[1] : arguments[2];
    if (arguments[1] == arguments[2]) return arguments[1];
  }
  if ((op == Op::min || op == Op::max) && arguments[0] == arguments[1]) return arguments[0];
  if (op == Op::power && x.form == Form::sum && x.terms.size() == 1 && x.constant == 0 && x.terms[0].factor > 0) {
    const Term term = x.terms[0];
    const Id exponent = arguments[1];
    return multiply(call(Op::power, number(term.factor), exponent), call(Op::power, term.id, exponent));
  }
  if (op == Op::power && x.form == Form::product) {
    // (p y)^e = p^e y^e, and (b^a)^e = b^(a e), for p and b that are not negative; (b^2)^e = |b|^(2 e)
    std::vector<Power> rest;
    const std::vector<Power> powers = x.powers;
    const Id exponent = arguments[1];
    Id result = number(1);
    for (const Power& p : powers) {
      const bool is_safe = expressions_[p.base].not_negative;
      if (is_safe || is_even(p.exponent)) {
        const Id base = is_safe ? p.base : call(Op::abs, std::array{p.base});
        result = multiply(result, power(base, scale(p.exponent.value(), exponent)));
      } else {
        rest.push_back(p);
      }
    }
    if (rest.size() < powers.size()) {
      return rest.empty() ? result : multiply(result, power(product(1, rest), exponent));
    }
  }
  Expression e;
  e.form = Form::call;
  e.op = op;
  e.arguments.assign(arguments.begin(), arguments.end());
  const auto is_positive = [&](std::size_t k) { return expressions_[arguments[k]].not_negative; };
  e.not_negative = op == Op::abs || op == Op::exp || op == Op::cosh || op == Op::erfc || op == Op::step ||
                   (op == Op::power && is_positive(0)) ||
                   ((op == Op::min || op == Op::max) && is_positive(0) && is_positive(1)) ||
                   (op == Op::select && is_positive(1) && is_positive(2));
  return intern(std::move(e));
}

Id Dag::rebuilt(const Expression& e, const std::unordered_map<Id, Id>& ids) {
  if (e.form == Form::sum) {
    std::vector<Term> terms = e.terms;
    for (Term& t : terms) t.id = ids.at(t.id);
    return sum(e.constant, terms);
  }
  if (e.form == Form::product) {
    std::vector<Power> powers = e.powers;
    for (Power& p : powers) p.base = ids.at(p.base);
    return product(1, powers);
  }
  std::vector<Id> arguments = e.arguments;
  for (Id& a : arguments) a = ids.at(a);
  return e.op == Op::power ? power(arguments[0], arguments[1]) : call(e.op, arguments);
}

std::set<Id> Dag::parts_of(Id id, const std::function<bool(Id)>& is_whole) const {
  std::set<Id> parts{id};
  for (auto at = parts.rbegin(); at != parts.rend(); ++at) {
    const Expression& e = expressions_[*at];
    if (is_whole && is_whole(*at)) continue;
    for (const Term& t : e.terms) parts.insert(t.id);
    for (const Power& p : e.powers) parts.insert(p.base);
    for (const Id a : e.arguments) parts.insert(a);
  }
  return parts;
}

Id Dag::substitute(Id id, u32 symbol, Id with) {
  std::unordered_map<Id, Id> ids;
  for (const Id n : parts_of(id)) {
    if ((expressions_[n].depends & symbol_bit(symbol)) == 0) {
      ids[n] = n;
    } else if (expressions_[n].form == Form::symbol) {
      ids[n] = with;
    } else {
      ids[n] = rebuilt(Expression(expressions_[n]), ids);
    }
  }
  return ids.at(id);
}

namespace {

constexpr Rational kMinusOne{-1, 1}, kTwo{2, 1}, kMinusHalf{-1, 2};

/// f'(x) of a function of one argument; f is the call itself.
Id outer_derivative(Dag& dag, Op op, Id f, Id x) {
  const auto one_minus_square = [&](Id y) { return dag.subtract(dag.number(1), dag.power(y, kTwo)); };
  const auto gauss = [&] {
    return dag.scale(2 * std::numbers::inv_sqrtpi, dag.call(Op::exp, dag.scale(-1, dag.power(x, kTwo))));
  };
  switch (op) {
    case Op::exp:
      return f;
    case Op::log:
      return dag.power(x, kMinusOne);
    case Op::sin:
      return dag.call(Op::cos, x);
    case Op::cos:
      return dag.scale(-1, dag.call(Op::sin, x));
    case Op::tan:
      return dag.add(dag.number(1), dag.power(f, kTwo));
    case Op::asin:
      return dag.power(one_minus_square(x), kMinusHalf);
    case Op::acos:
      return dag.scale(-1, dag.power(one_minus_square(x), kMinusHalf));
    case Op::atan:
      return dag.power(dag.add(dag.number(1), dag.power(x, kTwo)), kMinusOne);
    case Op::sinh:
      return dag.call(Op::cosh, x);
    case Op::cosh:
      return dag.call(Op::sinh, x);
    case Op::tanh: {
      // 1 - f^2 would lose its digits where f is near 1.
      const Id twice = dag.add(dag.call(Op::exp, x), dag.call(Op::exp, dag.scale(-1, x)));
      return dag.scale(4, dag.power(twice, Rational{-2, 1}));
    }
    case Op::erf:
      return gauss();
    case Op::erfc:
      return dag.scale(-1, gauss());
    case Op::abs:
      return dag.subtract(dag.scale(2, dag.call(Op::step, x)), dag.number(1));
    case Op::floor:
    case Op::ceil:
    case Op::step:
      return dag.number(0);
    default:
      TRI_UNREACHABLE("a function of one argument");
  }
}

class Differentiation {
 public:
  Differentiation(Dag& dag, u32 symbol) : dag_(dag), symbol_(symbol) {}

  Id run(Id energy) {
    for (const Id id : dag_.parts_of(energy)) {
      const bool depends = (dag_[id].depends & symbol_bit(symbol_)) != 0;
      slopes_[id] = depends ? of(id, Expression(dag_[id])) : dag_.number(0);
    }
    return slopes_.at(energy);
  }

 private:
  Id slope(Id id) const { return slopes_.at(id); }

  Id of(Id id, const Expression& e) {
    switch (e.form) {
      case Form::symbol:
        return dag_.number(1);
      case Form::sum: {
        std::vector<Term> terms;
        for (const Term& t : e.terms) terms.push_back({t.factor, slope(t.id)});
        return dag_.sum(0, terms);
      }
      case Form::product:
        return of_product(e);
      case Form::call:
        return of_call(id, e);
    }
    TRI_UNREACHABLE("Form");
  }

  /// The sum over the factors b^e of e b^(e - 1) b' times the others.
  Id of_product(const Expression& e) {
    std::vector<Term> terms;
    for (std::size_t k = 0; k < e.powers.size(); ++k) {
      const Power& p = e.powers[k];
      if (dag_.is_number(slope(p.base), 0)) continue;
      std::vector<Power> powers = e.powers;
      powers.push_back({p.base, kMinusOne});
      powers.push_back({slope(p.base), {1, 1}});
      terms.push_back({1, dag_.product(p.exponent.value(), powers)});
    }
    return dag_.sum(0, terms);
  }

  Id of_call(Id id, const Expression& e) {
    const Id x = e.arguments[0], y = e.arguments.size() > 1 ? e.arguments[1] : x;
    switch (e.op) {
      case Op::power: {
        // y x^(y - 1) x' + x^y y' log x; x^y / x would be NaN where x is 0.
        const Id less = dag_.power(x, dag_.subtract(y, dag_.number(1)));
        const Id sum = dag_.multiply(dag_.multiply(y, less), slope(x));
        if (dag_.is_number(slope(y), 0)) return sum;
        return dag_.add(sum, dag_.multiply(id, dag_.multiply(slope(y), dag_.call(Op::log, x))));
      }
      case Op::atan2: {
        const Id across = dag_.subtract(dag_.multiply(y, slope(x)), dag_.multiply(x, slope(y)));
        const Id square = dag_.add(dag_.power(x, kTwo), dag_.power(y, kTwo));
        return dag_.multiply(across, dag_.power(square, kMinusOne));
      }
      case Op::min:
        return dag_.call(Op::select, dag_.call(Op::step, dag_.subtract(x, y)), slope(y), slope(x));
      case Op::max:
        return dag_.call(Op::select, dag_.call(Op::step, dag_.subtract(x, y)), slope(x), slope(y));
      case Op::select:
        return dag_.call(Op::select, x, slope(y), slope(e.arguments[2]));
      default:
        return dag_.multiply(outer_derivative(dag_, e.op, id, x), slope(x));
    }
  }

  Dag& dag_;
  u32 symbol_;
  std::unordered_map<Id, Id> slopes_;
};

}  // namespace

Id derivative(Dag& dag, Id energy, u32 symbol) { return Differentiation(dag, symbol).run(energy); }

}  // namespace tri::expression
