#include "sim/expression/dag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "sim/expression/operations.hpp"

namespace tri::expression {
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
  throw BeyondLimit(fmt::format("an exponent here is beyond {} or no fraction of small whole numbers", kMostExponent));
}

}  // namespace

/// A product while it is put together.
struct Dag::Product {
  double factor = 1;
  std::map<Id, Rational> powers;
};

Id Dag::keep(Expression e) {
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
  if (parts_ > kMostParts || e.depth > kMostLevels) throw BeyondLimit("the expression is too large");
  const Id id = static_cast<Id>(expressions_.size());
  expressions_.push_back(std::move(e));
  known_.emplace(std::move(key), id);
  return id;
}

Id Dag::number(double value) {
  Expression e;
  e.constant = value == 0 ? 0 : value;  // no -0
  e.not_negative = value >= 0;
  return keep(std::move(e));
}

Id Dag::symbol(u32 symbol, bool not_negative) {
  Expression e;
  e.form = Form::symbol;
  e.symbol = symbol;
  e.depends = symbol_bit(symbol);
  e.not_negative = not_negative;
  return keep(std::move(e));
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
  return keep(std::move(e));
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
  const Id id = is_base ? e.powers[0].base : keep(std::move(e));
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
    if (std::fabs(e.constant) > kMostExponent) exponent_beyond();
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
  return keep(std::move(e));
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

Id Dag::substitute(Id id, u32 symbol, Id with) {
  std::set<Id> needed{id};
  for (auto at = needed.rbegin(); at != needed.rend(); ++at) {
    const Expression& e = expressions_[*at];
    for (const Term& t : e.terms) needed.insert(t.id);
    for (const Power& p : e.powers) needed.insert(p.base);
    for (const Id a : e.arguments) needed.insert(a);
  }
  std::unordered_map<Id, Id> ids;
  for (const Id n : needed) {
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

}  // namespace tri::expression
