#pragma once
/// A law over the distance, as plots and tables show it.

#include <vector>

#include "sim/expression/law.hpp"

namespace tri::expression {

/// Energy and force at a distance r: of a pair of mass 1, radius 1/2 and charge 1 with the force -dE/dr; of triples
/// those of an equilateral triangle of side r, with the force that widens it.
Law::Point point_at(const TypedLaw& law, double r);

/// Samples at ascending distances; values need not be finite.
struct LawCurves {
  std::vector<double> r, energy, force;
};

/// At `points` >= 2 equal steps over 0 < from < to. Pure.
LawCurves law_curves(const TypedLaw& law, double from, double to, u32 points);

}  // namespace tri::expression
