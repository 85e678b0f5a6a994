#pragma once
/// An expression as a sum of coefficients times products of powers: the form from which programs are emitted.

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
std::vector<Monomial> linear_form(Dag& dag, Id id, bool parameters_are_constant);

}  // namespace tri::expression
