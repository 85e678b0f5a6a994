/// The time scale of a contact compared with the step.

#include "sim/model/contact_step.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sim/base/contracts.hpp"

namespace tri {
namespace {

/// v truncated (not rounded) to three digits, so that a user who follows the advice is below the limit.
double cut_to_three_digits(double v) {
  const double unit = std::pow(10.0, std::floor(std::log10(v)) - 2.0);
  return std::floor(v / unit) * unit;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The minimum of value(i) over the bodies that qualify, and over all others; infinity where there is none.
template <class Value, class Qualifies>
std::pair<double, double> least_two(const Bodies& bodies, const Value& value, const Qualifies& qualifies) {
  const std::size_t none = bodies.size();
  std::size_t first = none;
  for (std::size_t i = 0; i < none; ++i) {
    if (qualifies(i) && value(i) < kNever && (first == none || value(i) < value(first))) first = i;
  }
  if (first == none) return {kNever, kNever};
  double other = kNever;
  for (std::size_t i = 0; i < none; ++i) {
    if (i != first) other = std::min(other, value(i));
  }
  return {value(first), other};
}

double damping_ratio(double k, double m_eff, double c) { return c / (2.0 * std::sqrt(k * m_eff)); }

}  // namespace

double contact_time(double k, double m_eff, double c) {
  TRI_EXPECTS(k > 0 && m_eff > 0 && c >= 0);
  const double w0 = std::sqrt(k / m_eff);
  const double zeta = damping_ratio(k, m_eff, c);
  if (zeta < 1) return std::numbers::pi / (w0 * std::sqrt(1.0 - zeta * zeta));
  return std::numbers::pi / (w0 * (zeta + std::sqrt(zeta * zeta - 1.0)));
}

double contact_restitution(double k, double m_eff, double c) {
  TRI_EXPECTS(k > 0 && m_eff > 0 && c >= 0);
  const double zeta = damping_ratio(k, m_eff, c);
  return zeta < 1 ? std::exp(-std::numbers::pi * zeta / std::sqrt(1.0 - zeta * zeta)) : 0.0;
}

double shortest_contact(const Bodies& bodies, const ForceField& field) {
  if (field.pair != PairLaw::contact || field.contact.impulse) return kNever;
  const double k = field.contact.stiffness, c = field.contact.damping;
  const auto scale = [&](double m_eff) { return contact_time(k, m_eff, damping_ratio(k, m_eff, c) < 1 ? 0.0 : c); };
  // Point masses collide with spheres, but not with each other.
  const auto [sphere, other] = least_two(
      bodies, [&](std::size_t i) { return bodies.m[i] > 0 ? bodies.m[i] : kNever; },
      [&](std::size_t i) { return bodies.r[i] > 0; });
  // m1 m2 / (m1 + m2), in a form that neither overflows nor divides 0 by 0.
  if (other < kNever) return scale(std::min(sphere, other) / (1.0 + std::min(sphere, other) / std::max(sphere, other)));
  if (field.box.boundary != Boundary::reflecting) return kNever;
  const double lightest = least_two(
                              bodies, [&](std::size_t i) { return bodies.m[i] > 0 ? bodies.m[i] : kNever; },
                              [](std::size_t) { return true; })
                              .first;
  return lightest < kNever ? scale(lightest) : kNever;
}

double longest_impulse_step(const Bodies& bodies, const ForceField& field) {
  if (field.pair != PairLaw::contact || !field.contact.impulse) return kNever;
  const auto [smallest, other] = least_two(
      bodies, [&](std::size_t i) { return bodies.r[i]; }, [&](std::size_t i) { return bodies.r[i] > 0; });
  if (!(other < kNever)) return kNever;
  double fall = 0;  // twice the energy that a unit of mass can gain
  if (field.box.boundary == Boundary::reflecting) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      fall += 2 * std::fabs(field.field[axis]) * (field.box.high[axis] - field.box.low[axis]);
    }
  }
  double fastest = 0, second = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double square = bodies.vx[i] * bodies.vx[i] + bodies.vy[i] * bodies.vy[i] + bodies.vz[i] * bodies.vz[i];
    const double speed = std::sqrt(square + fall);
    second = std::max(second, std::min(fastest, speed));
    fastest = std::max(fastest, speed);
  }
  const double closing = fastest + second;
  return closing > 0 ? (smallest + other) / closing : kNever;
}

std::string contact_step_warning(const Bodies& bodies, const ForceField& field, double dt) {
  if (const double longest = longest_impulse_step(bodies, field); std::fabs(dt) > longest) {
    return fmt::format(
        "dt = {:.4g} is more than the {:.4g} in which the fastest spheres come from touching to centre on centre, so "
        "some may pass unseen; use --dt {:.4g} or less.",
        std::fabs(dt), longest, cut_to_three_digits(longest));
  }
  const double time = shortest_contact(bodies, field);
  if (!(std::fabs(dt) > time / kStepsPerContact)) return {};
  return fmt::format(
      "dt = {:.4g} is more than a fiftieth of the shortest contact time, {:.4g}, so contacts gain or lose energy; use "
      "--dt {:.4g} or less, or a softer spring.",
      std::fabs(dt), time, cut_to_three_digits(time / kStepsPerContact));
}

}  // namespace tri
