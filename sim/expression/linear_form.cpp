#include "sim/expression/linear_form.hpp"

#include <map>

namespace tri::expression {
namespace {

/// Most terms of a sum that is multiplied out, and of what comes out.
constexpr std::size_t kMostExpanded = 12, kMostMonomials = 48;

class LinearForm {
 public:
  LinearForm(Dag& dag, bool parameters_are_constant) : dag_(dag), parameters_are_constant_(parameters_are_constant) {}

  std::vector<Monomial> of(Id id) {
    if (is_constant(id)) return {{id}};
    const Expression e = dag_[id];
    if (e.form == Form::sum) return of_sum(e);
    if (e.form == Form::product) return of_product(e);
    return {{dag_.number(1), {{id, {1, 1}}}}};
  }

 private:
  bool is_constant(Id id) const { return dag_[id].is_number() || (parameters_are_constant_ && !dag_.varies(id)); }

  std::vector<Monomial> of_sum(const Expression& e) {
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

  std::vector<Monomial> of_product(const Expression& e) {
    std::vector<Power> constants, rest;
    const Power* sum = nullptr;
    std::size_t sums = 0;
    for (const Power& p : e.powers) {
      if (is_constant(p.base)) {
        constants.push_back(p);
        continue;
      }
      if (dag_[p.base].form == Form::sum && p.exponent == Rational{1, 1}) sum = &p, ++sums;
    }
    if (sums != 1 || dag_[sum->base].terms.size() > kMostExpanded) sum = nullptr;
    for (const Power& p : e.powers) {
      if (&p != sum && !is_constant(p.base)) rest.push_back(p);
    }
    const Id coefficient = dag_.product(1, constants);
    const Monomial whole{coefficient, rest};
    if (sum == nullptr) return {whole};
    std::vector<Monomial> all = of(sum->base);
    if (all.size() > kMostMonomials) {
      Monomial unexpanded = whole;
      unexpanded.powers.push_back(*sum);
      return collected({unexpanded});
    }
    for (Monomial& m : all) {
      m.coefficient = dag_.multiply(m.coefficient, coefficient);
      m.powers.insert(m.powers.end(), rest.begin(), rest.end());
    }
    return collected(std::move(all));
  }

  /// Powers of the same base and monomials of the same powers become one.
  std::vector<Monomial> collected(std::vector<Monomial> all) {
    const auto less = [](const std::vector<Power>& x, const std::vector<Power>& y) {
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](const Power& p, const Power& q) {
        return p.base != q.base ? p.base < q.base : p.exponent < q.exponent;
      });
    };
    std::map<std::vector<Power>, std::vector<Term>, decltype(less)> found(less);
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

  Dag& dag_;
  bool parameters_are_constant_;
};

}  // namespace

std::vector<Monomial> linear_form(Dag& dag, Id id, bool parameters_are_constant) {
  return LinearForm(dag, parameters_are_constant).of(id);
}

}  // namespace tri::expression
