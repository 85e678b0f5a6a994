#include "sim/scene/spherical_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/base/contracts.hpp"

namespace tri::scene {

namespace {

constexpr std::size_t kRadii = 400;
constexpr int kSpeeds = 200;  ///< samples to find the maximum density of speeds

/// Index k of the interval [x[k], x[k + 1]] of an increasing array that contains the value; the first and the last one
/// extend outward.
std::size_t interval(const std::vector<double>& x, double value) {
  const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, value);
  return static_cast<std::size_t>(above - x.begin()) - 1;
}

/// y at `value`, by linear interpolation of ln y over ln x.
double power_law(const std::vector<double>& x, const std::vector<double>& y, double value) {
  const std::size_t k = interval(x, value);
  const double slope = std::log(y[k + 1] / y[k]) / std::log(x[k + 1] / x[k]);
  return y[k] * std::pow(value / x[k], slope);
}

}  // namespace

RadialProfile tabulate(const std::function<double(double)>& shape, double total, double first, double last) {
  RadialProfile p;
  for (std::size_t k = 0; k < kRadii; ++k) {
    p.radius.push_back(first * std::pow(last / first, static_cast<double>(k) / (kRadii - 1)));
    p.density.push_back(shape(p.radius[k]));
  }
  const auto shell = [&](std::size_t k) { return 4 * std::numbers::pi * p.density[k] * std::pow(p.radius[k], 3); };
  p.mass.push_back(shell(0) / 2);  // of density ~ 1/r
  for (std::size_t k = 1; k < kRadii; ++k) {
    p.mass.push_back(p.mass[k - 1] + 0.5 * (shell(k - 1) + shell(k)) * std::log(p.radius[k] / p.radius[k - 1]));
  }
  const double factor = total / p.mass.back();
  for (std::size_t k = 0; k < kRadii; ++k) p.mass[k] *= factor, p.density[k] *= factor;
  return p;
}

double mass_within(const RadialProfile& p, double r) {
  return r >= p.radius.back() ? p.mass.back() : power_law(p.radius, p.mass, r);
}

std::vector<double> potential_on(const std::vector<double>& radius, const std::vector<double>& mass, double G,
                                 double eps) {
  const auto force = [&](std::size_t k) {
    const double r = radius[k];
    return G * mass[k] * r / std::pow(r * r + eps * eps, 1.5);
  };
  const std::size_t n = radius.size();
  std::vector<double> potential(n);
  potential[n - 1] = G * mass[n - 1] / std::hypot(radius[n - 1], eps);
  for (std::size_t k = n - 1; k-- > 0;) {
    const double step = std::log(radius[k + 1] / radius[k]);
    potential[k] = potential[k + 1] + 0.5 * (force(k) * radius[k] + force(k + 1) * radius[k + 1]) * step;
  }
  return potential;
}

/// F(E) is the integral of d rho / sqrt(E - Psi) over Psi from 0 to E, and f is proportional to dF / dE. In each
/// interval of the grid rho is linear in Psi, so that the integral is analytic despite the singularity at its end.
IsotropicSampler::IsotropicSampler(RadialProfile profile, std::vector<double> potential)
    : profile_(std::move(profile)), potential_(std::move(potential)) {
  const std::vector<double>&rho = profile_.density, &psi = potential_;
  const std::size_t n = psi.size();
  TRI_EXPECTS(rho.size() == n && n > 2);
  std::vector<double> integral(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = k; j + 1 < n; ++j) {
      const double slope = (rho[j] - rho[j + 1]) / (psi[j] - psi[j + 1]);
      integral[k] += 2 * slope * (std::sqrt(psi[k] - psi[j + 1]) - std::sqrt(psi[k] - psi[j]));
    }
  }
  for (std::size_t k = n - 1; k-- > 0;) {
    const double f = (integral[k] - integral[k + 1]) / (psi[k] - psi[k + 1]);
    energy_.push_back(0.5 * (psi[k] + psi[k + 1]));
    log_f_.push_back(std::log(std::max(f, 1e-300)));
  }
  highest_.resize(n);
  for (std::size_t k = 0; k < n; ++k) highest_[k] = highest(psi[k]);
}

double IsotropicSampler::distribution(double energy) const {
  if (energy <= 0) return 0;
  const double e = std::clamp(energy, energy_.front(), energy_.back());
  const std::size_t k = interval(energy_, e);
  const double t = (e - energy_[k]) / (energy_[k + 1] - energy_[k]);
  const double f = std::exp(log_f_[k] + t * (log_f_[k + 1] - log_f_[k]));
  return energy < energy_.front() ? f * energy / energy_.front() : f;  // 0 at the edge
}

double IsotropicSampler::highest(double psi) const {
  double maximum = 0;
  for (int i = 1; i < kSpeeds; ++i) {
    const double v = std::sqrt(2 * psi) * i / kSpeeds;
    maximum = std::max(maximum, v * v * distribution(psi - v * v / 2));
  }
  return 1.1 * maximum;
}

double IsotropicSampler::radius(double fraction) const {
  return power_law(profile_.mass, profile_.radius, fraction * profile_.mass.back());
}

double IsotropicSampler::potential_at(double r) const {
  return r <= profile_.radius.front() ? potential_.front() : power_law(profile_.radius, potential_, r);
}

double IsotropicSampler::speed(double r, Random& random) const {
  const double psi = potential_at(r), escape = std::sqrt(2 * psi);
  const std::size_t k = interval(profile_.radius, r);
  const double bound = std::max(highest_[k], highest_[k + 1]);
  for (;;) {
    const double v = escape * random.uniform();
    if (bound * random.uniform() < v * v * distribution(psi - v * v / 2)) return v;
  }
}

}  // namespace tri::scene
