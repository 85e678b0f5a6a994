/// Diagnostics, and faults that are not numbers.
///
/// Sums over the bodies, in float64 with Neumaier's compensation: the drift of a conserved quantity is far smaller than
/// the quantity, and rounding of the sum must not hide it.

#include "sim/model/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace tri {
namespace {

/// Neumaier 1974: a running sum and its accumulated rounding error.
class Sum {
 public:
  void add(double v) {
    const double t = sum_ + v;
    lost_ += std::fabs(sum_) >= std::fabs(v) ? (sum_ - t) + v : (v - t) + sum_;
    sum_ = t;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

double Diagnostics::virial_ratio() const { return virial == 0 || kinetic == 0 ? 0.0 : -2.0 * kinetic / virial; }

Diagnostics one_body_diagnostics(const Bodies& b, const ForceField& field) {
  Sum kinetic, potential, mass;
  std::array<Sum, 3> momentum, angular, centre;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double m = b.m[i], x = b.x[i], y = b.y[i], z = b.z[i];
    const double vx = b.vx[i], vy = b.vy[i], vz = b.vz[i];
    mass.add(m);
    kinetic.add(0.5 * m * (vx * vx + vy * vy + vz * vz));
    potential.add(-m * (field.field[0] * x + field.field[1] * y + field.field[2] * z));
    momentum[0].add(m * vx), momentum[1].add(m * vy), momentum[2].add(m * vz);
    angular[0].add(m * (y * vz - z * vy));
    angular[1].add(m * (z * vx - x * vz));
    angular[2].add(m * (x * vy - y * vx));
    centre[0].add(m * x), centre[1].add(m * y), centre[2].add(m * z);
  }
  Diagnostics d;
  d.kinetic = kinetic.value();
  d.potential = potential.value();
  d.mass = mass.value();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    d.momentum[axis] = momentum[axis].value();
    d.angular_momentum[axis] = angular[axis].value();
    // The centre of massless bodies is the origin, not 0/0.
    d.centre[axis] = d.mass > 0 ? centre[axis].value() / d.mass : 0.0;
  }
  return d;
}

namespace {

const char* last_cure(Precision precision) {
  return precision == Precision::fp32 ? "--precision fp64" : "units in which lengths and masses are nearer to 1";
}

}  // namespace

std::string force_fault(const Bodies& bodies, Precision precision, const char* what, u32 first_bad,
                        const std::string& when) {
  const u32 n = static_cast<u32>(bodies.size());
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  const auto position = [&bodies](u32 i) { return std::tuple(bodies.x[i], bodies.y[i], bodies.z[i]); };
  std::sort(order.begin(), order.end(),
            [&](u32 a, u32 b) { return std::tuple(position(a), a) < std::tuple(position(b), b); });
  u32 body = n, other = n;
  for (u32 k = 0; k + 1 < n; ++k) {
    if (position(order[k]) == position(order[k + 1]) && order[k] < body) body = order[k], other = order[k + 1];
  }
  const bool together = body < n;
  if (!together) body = first_bad;
  const std::string cause = together ? fmt::format("it coincides with body {}", other)
                                     : fmt::format("the numbers left the range of {}", to_string(precision));
  return fmt::format(
      "body {} has {} that is not finite{}, at ({:g}, {:g}, {:g}): {}. Use a softening, a smaller --dt or {}.", body,
      what, when, bodies.x[body], bodies.y[body], bodies.z[body], cause, last_cure(precision));
}

std::string state_fault(u32 body, u64 step, Precision precision) {
  return fmt::format(
      "body {} has a position or velocity that is not finite after step {}: the numbers left the range of {}. Use a "
      "smaller --dt, a softening or {}.",
      body, step, to_string(precision), last_cure(precision));
}

}  // namespace tri
