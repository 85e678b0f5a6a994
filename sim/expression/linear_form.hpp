#pragma once
/// An expression as a sum of coefficients times products of powers: the form from which programs are emitted.

#include <unordered_map>
#include <vector>

#include "sim/expression/dag.hpp"

namespace tri::expression {

/// coefficient b1^e1 b2^e2 ..., bases in the order of their ids.
struct Monomial {
  Id coefficient;
  std::vector<Power> powers{};
};

/// A coefficient is made of numbers and, with parameters_are_constant, of parameters; bases of powers are not. A sum is
/// multiplied out where it is one factor of a product and has few terms: eps (A - B) q^-1 becomes two monomials, whose
/// coefficients the host computes.
class LinearForm {
 public:
  LinearForm(Dag& dag, bool parameters_are_constant) : dag_(dag), parameters_are_constant_(parameters_are_constant) {}

  /// At least one monomial; their powers differ. Throws BeyondLimit.
  std::vector<Monomial> of(Id id);

 private:
  bool is_constant(Id id) const;
  std::vector<Monomial> of_sum(const Expression& e);
  std::vector<Monomial> of_product(const Expression& e);
  const std::vector<Monomial>& expanded(Id sum);
  std::vector<Monomial> collected(std::vector<Monomial> all);

  Dag& dag_;
  bool parameters_are_constant_;
  std::unordered_map<Id, std::vector<Monomial>> expanded_;  ///< empty: there are too many monomials
};

}  // namespace tri::expression
