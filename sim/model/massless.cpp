/// What bodies without mass need.

#include "sim/model/massless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "sim/laws/law_table.hpp"

namespace tri {
namespace {

/// Whether bodies without mass coincide with each other, and none with a body that has one. Of positions as the engine
/// rounds them.
bool only_massless_coincide(const Bodies& b, Precision precision) {
  const auto rounded = [&](double v) {
    return precision == Precision::fp32 ? static_cast<double>(static_cast<float>(v)) : v;
  };
  using Place = std::tuple<double, double, double, bool>;
  std::vector<Place> places(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    places[i] = {rounded(b.x[i]), rounded(b.y[i]), rounded(b.z[i]), b.m[i] > 0};
  }
  std::sort(places.begin(), places.end());
  bool found = false;
  for (std::size_t k = 0; k + 1 < places.size(); ++k) {
    const auto& [x, y, z, heavy] = places[k];
    const auto& [u, v, w, other] = places[k + 1];
    if (x != u || y != v || z != w) continue;
    if (heavy || other) return false;
    found = true;
  }
  return found;
}

}  // namespace

std::string massless_refusal(const Bodies& b, const ForceField& field) {
  const bool forces = field.pair != PairLaw::none && !sums_are_accelerations(field);
  if (!forces && field.triple == TripleLaw::none) return {};
  const auto count = std::count(b.m.begin(), b.m.end(), 0.0);
  if (count == 0) return {};
  const auto first = std::find(b.m.begin(), b.m.end(), 0.0) - b.m.begin();
  return fmt::format(
      "{} of {} bodies have no mass, the first of them body {} (from 0), and the law of {} is {}: a force cannot move "
      "them. Give each a mass (a very large one stays where it is), or use gravity, which moves bodies without mass.",
      count, b.size(), first, forces ? "pairs" : "triples", forces ? to_string(field.pair) : to_string(field.triple));
}

ForceField apart(const Bodies& bodies, ForceField field, Precision precision) {
  GravityParams& gravity = field.gravity;
  if (field.pair != PairLaw::gravity || gravity.softening != 0) return field;
  if (std::count(bodies.m.begin(), bodies.m.end(), 0.0) < 2 || !only_massless_coincide(bodies, precision)) return field;
  // G / eps^3, and G / eps^5 of jerks in float64, stay within the range of the numbers.
  const double G = std::max(1.0, std::abs(gravity.G));
  gravity.softening = precision == Precision::fp32 ? std::cbrt(G * 1e-36) : 1e-50;
  return field;
}

}  // namespace tri
