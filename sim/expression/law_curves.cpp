#include "sim/expression/law_curves.hpp"

#include <span>

namespace tri::expression {

Law::Point point_at(const TypedLaw& typed, double r) {
  if (typed.law->over() == Over::pairs) {
    const Law::Point point = typed.law->at(r, typed.values);
    return {point.energy, point.force + 0.0};  // no -0
  }
  const double sides[kTripleInputs] = {r * r, r * r, r * r};
  const std::vector<double> uniforms = typed.law->uniforms(typed.values);
  const std::vector<double> out =
      typed.law->strength_and_energy().run<double>(std::span<const double>(sides), uniforms);
  // Each output is 2 dE/d(side^2), and dE/dr = sum of dE/d(side^2) 2 r.
  return {out[3], 0.0 - (out[0] + out[1] + out[2]) * r};
}

LawCurves law_curves(const TypedLaw& law, double from, double to, u32 points) {
  LawCurves curves;
  for (u32 k = 0; k < points; ++k) {
    const double r = from + (to - from) * k / (points - 1);
    const Law::Point p = point_at(law, r);
    curves.r.push_back(r), curves.energy.push_back(p.energy), curves.force.push_back(p.force);
  }
  return curves;
}

}  // namespace tri::expression
