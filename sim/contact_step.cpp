/// The time scale of a contact against the step.

#include "sim/contact_step.hpp"

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/contracts.hpp"

namespace tri {
namespace {

/// v cut (not rounded) to three digits, so that a user who follows the advice is below the limit.
double cut_to_three_digits(double v) {
  const double unit = std::pow(10.0, std::floor(std::log10(v)) - 2.0);
  return std::floor(v / unit) * unit;
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
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (field.pair != PairLaw::contact || field.contact.impulse) return kNever;
  double lightest = kNever, second = kNever;
  for (const double m : bodies.m) {
    if (!(m > 0)) continue;
    if (m < lightest) {
      second = lightest;
      lightest = m;
    } else if (m < second) {
      second = m;
    }
  }
  if (lightest == kNever) return kNever;
  if (second < kNever) {
    // m1 m2 / (m1 + m2), in the form that neither overflows nor divides 0 by 0.
    return contact_time(field.contact.stiffness, lightest / (1.0 + lightest / second), field.contact.damping);
  }
  if (field.box.boundary != Boundary::reflecting) return kNever;
  return contact_time(field.contact.stiffness, lightest, field.contact.damping);
}

std::string contact_step_warning(const Bodies& bodies, const ForceField& field, double dt) {
  const double time = shortest_contact(bodies, field);
  if (!(std::fabs(dt) > time / kStepsPerContact)) return {};
  return fmt::format(
      "dt = {:.4g} is more than a fiftieth of the shortest contact time, {:.4g}, so contacts gain or lose energy; use "
      "--dt {:.4g} or less, or a softer spring.",
      std::fabs(dt), time, cut_to_three_digits(time / kStepsPerContact));
}

}  // namespace tri
