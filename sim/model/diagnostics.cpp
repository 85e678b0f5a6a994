/// Diagnostics, and faults that are not numbers.
///
/// Sums over the bodies, in float64 with Neumaier's compensation: the drift of a conserved quantity is far smaller than
/// the quantity, and rounding of the sum must not hide it.

#include "sim/model/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

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
  LoopProgress progress(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    progress.at(i);
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

constexpr const char* kNoValue = "the typed law has no value at a distance (as log and sqrt below 0), or ";

bool is_typed(const ForceField& f) { return f.pair == PairLaw::typed || f.triple == TripleLaw::typed; }

}  // namespace

std::optional<std::pair<u32, u32>> first_coincident(const Bodies& b) {
  std::vector<std::tuple<double, double, double, u32>> places(b.size());
  for (u32 i = 0; i < places.size(); ++i) places[i] = {b.x[i], b.y[i], b.z[i], i};
  sort_reporting(places.begin(), places.end());
  std::optional<std::pair<u32, u32>> first;
  for (std::size_t k = 0; k + 1 < places.size(); ++k) {
    const auto& [x, y, z, i] = places[k];
    const auto& [u, v, w, j] = places[k + 1];
    if (x == u && y == v && z == w && (!first || i < first->first)) first = {i, j};
  }
  return first;
}

std::string force_fault(const Bodies& bodies, const ForceField& field, Precision precision, std::string_view what,
                        u32 first_bad, const std::string& when) {
  const auto together = first_coincident(bodies);
  const u32 body = together ? together->first : first_bad;
  const std::string cause = together ? fmt::format("it coincides with body {}", together->second)
                                     : fmt::format("{}the numbers left the range of {}",
                                                   is_typed(field) ? kNoValue : "", to_string(precision));
  std::string cures = field.pair == PairLaw::gravity ? "a softening" : "";
  if (what == "an acceleration") cures += cures.empty() ? "a smaller --dt" : ", a smaller --dt";
  if (!cures.empty()) cures += " or ";
  cures += together && precision == Precision::fp64 ? "another place for one of them" : last_cure(precision);
  return fmt::format("body {} has {} that is not finite{}, at ({:g}, {:g}, {:g}): {}. Use {}.", body, what, when,
                     bodies.x[body], bodies.y[body], bodies.z[body], cause, cures);
}

std::string sum_fault(const char* what, double value, const ForceField& field) {
  const bool typed = is_typed(field);
  return fmt::format(
      "the {} {}: two bodies coincide, {}the numbers left the range of float64. Use {}, or units in which "
      "masses, lengths and speeds are nearer to 1.",
      what,
      std::isnan(value) ? "has no value"
      : value > 0       ? "is infinite"
                        : "is -infinite",
      typed ? kNoValue : "or ", typed ? "a law that has a value at every distance" : "a softening");
}

void check_finite(const DiagnosticsRow& row, const ForceField& field) {
  const Diagnostics& d = row.values;
  const auto require = [&](const char* what, double value) {
    if (std::isfinite(value)) return;
    throw NumericalError(fmt::format("step {} (t = {:.9g}): {}", row.step, row.time, sum_fault(what, value, field)),
                         row.step);
  };
  require("kinetic energy", d.kinetic);
  require("potential energy", d.potential);
  require("energy", d.energy());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    require("momentum", d.momentum[axis]);
    require("angular momentum", d.angular_momentum[axis]);
    require("centre of mass", d.centre[axis]);
  }
}

std::string state_fault(u32 body, u64 step, Precision precision) {
  return fmt::format(
      "body {} has a position or velocity that is not finite after step {}: the numbers left the range of {}. Use a "
      "smaller --dt, a softening or {}.",
      body, step, to_string(precision), last_cure(precision));
}

}  // namespace tri
