#include "sim/scene/random.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "sim/base/progress.hpp"

namespace tri::scene {

namespace {

/// Subtracts the mass-weighted mean of three arrays from them.
void subtract_mean(const std::vector<double>& m, std::vector<double>& x, std::vector<double>& y,
                   std::vector<double>& z) {
  double mass = 0, sx = 0, sy = 0, sz = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    mass += m[i];
    sx += m[i] * x[i], sy += m[i] * y[i], sz += m[i] * z[i];
  }
  if (!(mass > 0)) return;
  for (std::size_t i = 0; i < m.size(); ++i) x[i] -= sx / mass, y[i] -= sy / mass, z[i] -= sz / mass;
}

}  // namespace

double Random::normal() {
  const double u = 1.0 - uniform();  // never 0
  const double radius = std::sqrt(-2.0 * std::log(u));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Vec Random::direction() {
  const double z = uniform(-1.0, 1.0);
  const double angle = uniform(0.0, 2.0 * std::numbers::pi);
  const double rho = std::sqrt(1.0 - z * z);
  return {rho * std::cos(angle), rho * std::sin(angle), z};
}

std::vector<u32> shuffled_layers(u32 n, Random& random) {
  std::vector<u32> layers(n);
  for (u32 i = 0; i < n; ++i) layers[i] = i;
  for (u32 i = n; i > 1; --i) std::swap(layers[i - 1], layers[random.below(i)]);
  return layers;
}

u64 Random::below(u64 bound) {
  if (++drawn_ % kReportEvery == 0) report();
  return ((stream_.next() >> 32) * bound) >> 32;
}

void Random::report() { report_progress(ProgressKind::computing, "the bodies of the scene", 0, 0); }

void append(Bodies& to, const Bodies& from) {
  const auto join = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  join(to.x, from.x), join(to.y, from.y), join(to.z, from.z);
  join(to.vx, from.vx), join(to.vy, from.vy), join(to.vz, from.vz);
  if (!to.group.empty() || !from.group.empty()) {
    to.group.resize(to.m.size(), 0);
    to.group.insert(to.group.end(), from.group.begin(), from.group.end());
    to.group.resize(to.m.size() + from.m.size(), 0);
  }
  if (!to.q.empty() || !from.q.empty()) {
    to.q.resize(to.m.size(), 0.0);
    to.q.insert(to.q.end(), from.q.begin(), from.q.end());
    to.q.resize(to.m.size() + from.m.size(), 0.0);
  }
  if (!to.species.empty() || !from.species.empty()) {
    to.species.resize(to.m.size(), 0);
    to.species.insert(to.species.end(), from.species.begin(), from.species.end());
    to.species.resize(to.m.size() + from.m.size(), 0);
  }
  join(to.m, from.m), join(to.r, from.r);
}

void centre_positions(Bodies& b) { subtract_mean(b.m, b.x, b.y, b.z); }

void remove_drift(Bodies& b) { subtract_mean(b.m, b.vx, b.vy, b.vz); }

void scale_to_kinetic(Bodies& b, double kinetic) {
  double now = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    now += 0.5 * b.m[i] * (b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  }
  if (!(now > 0)) return;
  const double factor = std::sqrt(kinetic / now);
  for (std::size_t i = 0; i < b.size(); ++i) b.vx[i] *= factor, b.vy[i] *= factor, b.vz[i] *= factor;
}

void set_thermal_velocities(Bodies& b, double kinetic, Random& random) {
  if (b.size() < 2) return;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double sigma = 1.0 / std::sqrt(b.m[i]);
    b.vx[i] = sigma * random.normal();
    b.vy[i] = sigma * random.normal();
    b.vz[i] = sigma * random.normal();
  }
  remove_drift(b);
  scale_to_kinetic(b, kinetic);
}

}  // namespace tri::scene
