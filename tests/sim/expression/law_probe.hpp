#pragma once
/// A typed law at one pair or triple, in any number type.

#include <vector>

#include "sim/expression/law.hpp"

namespace tri::expression::test {

/// What a law may read of a pair.
struct PairPoint {
  double r = 1, mi = 1, mj = 1, ri = 1, rj = 1, qi = 1, qj = 1;
};

template <class Real>
std::vector<Real> converted(const std::vector<double>& values) {
  std::vector<Real> all;
  for (const double v : values) all.push_back(static_cast<Real>(v));
  return all;
}

/// Outputs of strength_and_energy().
template <class Real>
std::vector<Real> outputs(const TypedLaw& typed, const std::vector<double>& inputs) {
  return typed.law->strength_and_energy().run<Real>(converted<Real>(inputs),
                                                    converted<Real>(typed.law->uniforms(typed.values)));
}

template <class Real>
struct PairResult {
  Real energy, force;
};
/// The force is -dE/dr.
template <class Real>
PairResult<Real> pair_at(const TypedLaw& typed, const PairPoint& p) {
  const std::vector<Real> results = outputs<Real>(typed, {p.r * p.r, p.mi, p.mj, p.ri, p.rj, p.qi, p.qj});
  Real strength = results[0];
  if (typed.law->weighs_masses()) {
    strength *=
        static_cast<Real>(typed.law->uniforms(typed.values)[0]) * static_cast<Real>(p.mi) * static_cast<Real>(p.mj);
  }
  return {results[1], -strength * static_cast<Real>(p.r)};
}

}  // namespace tri::expression::test
