#include "app/session/body_survey.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sim/base/contracts.hpp"

namespace tri::app {
namespace {

/// Of three numbers std::hypot() may lose one that is not finite.
double length_of(double x, double y, double z) { return std::hypot(std::hypot(x, y), z); }

/// Distances from the centre of mass; from the mean place where nothing has a mass.
std::vector<double> distances_from_centre(const Bodies& b) {
  double sum[3] = {}, mass = 0;
  const bool weighted = std::any_of(b.m.begin(), b.m.end(), [](double m) { return m > 0; });
  const auto finite = [&](std::size_t i) { return std::isfinite(b.x[i] + b.y[i] + b.z[i]); };
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!finite(i)) continue;
    const double w = weighted ? b.m[i] : 1;
    sum[0] += w * b.x[i], sum[1] += w * b.y[i], sum[2] += w * b.z[i], mass += w;
  }
  std::vector<double> r(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    r[i] = length_of(b.x[i] - sum[0] / mass, b.y[i] - sum[1] / mass, b.z[i] - sum[2] / mass);
  }
  return r;
}

std::vector<double> values_of(const Bodies& b, SurveyOf of) {
  if (of == SurveyOf::mass) return b.m;
  if (of == SurveyOf::radius) return b.r;
  if (of != SurveyOf::speed) return distances_from_centre(b);
  std::vector<double> v(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) v[i] = length_of(b.vx[i], b.vy[i], b.vz[i]);
  return v;
}

/// [bins + 1] of the finite values, of which there is one at least.
std::vector<double> even_edges(const std::vector<double>& finite, u32 bins) {
  auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  double from = *low, to = *high;
  if (from == to) from -= std::max(0.5 * std::abs(from), 1e-12), to += std::max(0.5 * std::abs(to), 1e-12);
  std::vector<double> edges(bins + 1);
  for (u32 k = 0; k <= bins; ++k) edges[k] = from + (to - from) * k / bins;
  edges.back() = to;
  return edges;
}

/// 0, then equal ratios from the radius that holds the innermost bodies to the outermost one.
std::vector<double> shell_edges(std::vector<double> finite, u32 bins) {
  const std::size_t inner = std::min(finite.size() - 1, std::max<std::size_t>(10, finite.size() / 100));
  const double outer = *std::max_element(finite.begin(), finite.end());
  std::nth_element(finite.begin(), finite.begin() + static_cast<std::ptrdiff_t>(inner), finite.end());
  const double first = finite[inner];
  if (!(first > 0) || !(outer > first)) return even_edges({0, std::max(outer, 1e-12)}, bins);
  std::vector<double> edges(bins + 1);
  for (u32 k = 1; k <= bins; ++k) edges[k] = first * std::pow(outer / first, static_cast<double>(k - 1) / (bins - 1));
  edges.back() = outer;
  return edges;
}

}  // namespace

std::string_view to_string(SurveyOf of) {
  constexpr std::array<std::string_view, kSurveyCount> kNames{"density", "speed", "mass", "radius", "distance"};
  return kNames[static_cast<std::size_t>(of)];
}

Survey survey_of(const Bodies& bodies, SurveyOf of, u32 bins) {
  TRI_EXPECTS(bins >= 2);
  Survey survey;
  survey.of = of;
  const std::vector<double> values = values_of(bodies, of);
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  survey.left_out = values.size() - finite.size();
  if (finite.empty()) return survey;
  const bool density = of == SurveyOf::density;
  survey.edges = density ? shell_edges(finite, bins) : even_edges(finite, bins);
  survey.value.assign(bins, 0), survey.bodies.assign(bins, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const auto above = std::upper_bound(survey.edges.begin(), survey.edges.end(), values[i]);
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(above - survey.edges.begin()) - 1, bins - 1);
    ++survey.bodies[k];
    survey.value[k] += density ? bodies.m[i] : 1;
  }
  for (u32 k = 0; density && k < bins; ++k) {
    const auto ball = [](double r) { return 4 * std::numbers::pi / 3 * r * r * r; };
    survey.value[k] /= ball(survey.edges[k + 1]) - ball(survey.edges[k]);
  }
  return survey;
}

}  // namespace tri::app
