/// What bodies without mass need.

#include "sim/model/massless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/laws/law_table.hpp"

namespace tri {
namespace {

using expression::Law;
using expression::TypedLaw;

/// Places nearer to each other than this give no finite term: 1/r^3 is above the largest number.
double too_near(Precision precision) { return precision == Precision::fp32 ? 2e-13 : 2e-103; }

/// The same law with r^2 + eps^2 for r^2; nothing if it has a softening, which is its own affair.
std::optional<TypedLaw> with_softening(const TypedLaw& typed, double eps) {
  const u32 at = typed.law->find("softening");
  if (at < typed.values.size()) {
    if (typed.values[at] != 0) return std::nullopt;
    TypedLaw softened = typed;
    softened.values[at] = eps;
    return softened;
  }
  std::string text = typed.text();
  text.resize(text.find_last_not_of(" \t\r\n;") + 1);
  return expression::typed_law(fmt::format("{}; softening = {:.17g}", text, eps), typed.law->over());
}

double largest_value(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// Whether the law has a finite strength at r = 0 in this type.
template <class Real>
bool is_finite_at_zero(const TypedLaw& typed, double r, double q) {
  const std::vector<double> values = typed.law->uniforms(typed.values);
  const std::vector<Real> uniforms(values.begin(), values.end());
  const auto real = [](double v) { return static_cast<Real>(v); };
  const std::vector<Real> inputs{0, 0, 0, real(r), real(r), real(q), real(q)};
  const auto strength = typed.law->strength().template run<Real>(inputs, uniforms);
  const auto both = typed.law->strength_and_energy().template run<Real>(inputs, uniforms);
  return std::isfinite(strength[0] * uniforms[0]) && std::isfinite(both[0]) && std::isfinite(both[1]);
}

/// The longest softening that pairs at the mean spacing do not notice.
double longest_softening(const Bodies& b, Precision precision) {
  double diagonal2 = 0;
  for (const std::vector<double>* column : {&b.x, &b.y, &b.z}) {
    const auto [low, high] = std::minmax_element(column->begin(), column->end());
    diagonal2 += (*high - *low) * (*high - *low);
  }
  const double spacing = std::sqrt(diagonal2) / std::cbrt(static_cast<double>(b.size()));
  const double rounding = precision == Precision::fp32 ? 0x1p-24 : 0x1p-53;
  return spacing > 0 ? std::sqrt(rounding) * spacing : 1;
}

std::optional<TypedLaw> softened(const TypedLaw& typed, const Bodies& b, Precision precision) {
  const double r = largest_value(b.r), q = largest_value(b.q), longest = longest_softening(b, precision);
  constexpr double kRoom = 10;  // above the shortest one with a finite strength
  for (double eps = precision == Precision::fp32 ? 1e-18 : 1e-100; kRoom * eps <= longest; eps *= 10) {
    const std::optional<TypedLaw> law = with_softening(typed, eps);
    if (!law) return std::nullopt;
    const bool fits =
        is_finite_at_zero<double>(*law, r, q) && (precision == Precision::fp64 || is_finite_at_zero<float>(*law, r, q));
    if (fits) return with_softening(typed, kRoom * eps);
  }
  return std::nullopt;
}

}  // namespace

bool only_massless_coincide(const Bodies& b, Precision precision) {
  const double near = too_near(precision);
  const auto place = [&](double v) { return std::abs(v) < 0x1p50 * near ? std::nearbyint(v / near) * near : v; };
  using Place = std::tuple<double, double, double, bool>;
  std::vector<Place> places(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) places[i] = {place(b.x[i]), place(b.y[i]), place(b.z[i]), b.m[i] > 0};
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

std::optional<ForceField> apart(const Bodies& bodies, const ForceField& field, Precision precision) {
  if (!sums_are_accelerations(field) || std::count(bodies.m.begin(), bodies.m.end(), 0.0) < 2) return std::nullopt;
  if (field.pair == PairLaw::gravity && field.gravity.softening != 0) return std::nullopt;
  if (!only_massless_coincide(bodies, precision)) return std::nullopt;
  ForceField changed = field;
  if (field.pair == PairLaw::gravity) {
    // G / eps^3, and G / eps^5 of jerks in float64, stay within the range of the numbers.
    const double G = std::max(1.0, std::abs(field.gravity.G));
    changed.gravity.softening = precision == Precision::fp32 ? std::cbrt(G * 1e-36) : 1e-50;
    return changed;
  }
  const std::optional<TypedLaw> law = softened(field.typed_pair, bodies, precision);
  if (!law) return std::nullopt;
  changed.typed_pair = *law;
  return changed;
}

}  // namespace tri
