#include "sim/expression/linear_form.hpp"

#include <algorithm>
#include <map>

namespace tri::expression {
namespace {

/// Most terms of a sum that is multiplied out, and of what comes out.
constexpr std::size_t kMostExpanded = 12, kMostMonomials = 48;

bool in_order(const std::vector<Power>& x, const std::vector<Power>& y) {
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](const Power& p, const Power& q) {
    return p.base != q.base ? p.base < q.base : p.exponent < q.exponent;
  });
}

}  // namespace

bool LinearForm::is_constant(Id id) const {
  return dag_[id].is_number() || (parameters_are_constant_ && !dag_.varies(id));
}

std::vector<Monomial> LinearForm::of(Id id) {
  if (is_constant(id)) return {{id}};
  const Expression e = dag_[id];
  if (e.form == Form::sum) return of_sum(e);
  if (e.form == Form::product) return of_product(e);
  return {{dag_.number(1), {{id, {1, 1}}}}};
}

std::vector<Monomial> LinearForm::of_sum(const Expression& e) {
  std::vector<Monomial> all;
  std::vector<Term> constants;
  for (const Term& t : e.terms) {
    if (is_constant(t.id)) {
      constants.push_back(t);
      continue;
    }
    for (Monomial& m : of(t.id)) {
      m.coefficient = dag_.scale(t.factor, m.coefficient);
      all.push_back(std::move(m));
    }
  }
  const Id constant = dag_.sum(e.constant, constants);
  if (!dag_.is_number(constant, 0)) all.push_back({constant});
  return collected(std::move(all));
}

/// The monomials of a sum that is to be multiplied out; empty if it is better left alone.
const std::vector<Monomial>& LinearForm::expanded(Id sum) {
  if (const auto done = expanded_.find(sum); done != expanded_.end()) return done->second;
  std::vector<Monomial> all;
  if (dag_[sum].terms.size() <= kMostExpanded) all = of(sum);
  if (all.size() > kMostMonomials) all.clear();
  return expanded_[sum] = std::move(all);
}

std::vector<Monomial> LinearForm::of_product(const Expression& e) {
  std::vector<Power> constants, rest, sums;
  for (const Power& p : e.powers) {
    const bool is_sum = dag_[p.base].form == Form::sum && p.exponent == Rational{1, 1};
    (is_constant(p.base) ? constants : is_sum ? sums : rest).push_back(p);
  }
  const Id coefficient = dag_.product(1, constants);
  std::vector<Monomial> all;
  if (sums.size() == 1) all = expanded(sums[0].base);
  if (all.empty()) {
    rest.insert(rest.end(), sums.begin(), sums.end());
    return collected({{coefficient, rest}});
  }
  for (Monomial& m : all) {
    m.coefficient = dag_.multiply(m.coefficient, coefficient);
    m.powers.insert(m.powers.end(), rest.begin(), rest.end());
  }
  return collected(std::move(all));
}

/// Powers of the same base and monomials of the same powers become one.
std::vector<Monomial> LinearForm::collected(std::vector<Monomial> all) {
  std::map<std::vector<Power>, std::vector<Term>, decltype(&in_order)> found(&in_order);
  for (const Monomial& m : all) {
    std::map<Id, Rational> powers;
    for (const Power& p : m.powers) {
      const auto total = sum(powers[p.base], p.exponent);
      if (!total) throw BeyondLimit("an exponent here is beyond the limits");
      powers[p.base] = *total;
    }
    std::vector<Power> sorted;
    for (const auto& [base, exponent] : powers) {
      if (exponent.top != 0) sorted.push_back({base, exponent});
    }
    found[sorted].push_back({1, m.coefficient});
  }
  all.clear();
  for (const auto& [powers, terms] : found) {
    const Id coefficient = dag_.sum(0, terms);
    if (!dag_.is_number(coefficient, 0)) all.push_back({coefficient, powers});
  }
  if (all.empty()) all.push_back({dag_.number(0)});
  return all;
}

}  // namespace tri::expression
