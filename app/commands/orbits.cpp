#include "app/commands/orbits.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "app/support/text_table.hpp"

namespace tri::app {

namespace {

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

/// Five decimals, or six digits of what they would not show.
std::string length_text(double value) {
  const double size = std::abs(value);
  return size == 0 || (size >= 0.1 && size < 1e6) ? fmt::format("{:.5f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace

std::vector<Orbit> osculating_orbits(const Bodies& b, double G) {
  using Vec = std::array<double, 3>;
  const auto dot = [](const Vec& p, const Vec& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; };
  std::vector<Orbit> orbits;
  for (std::size_t i = 1; i < b.size(); ++i) {
    const Vec r{b.x[i] - b.x[0], b.y[i] - b.y[0], b.z[i] - b.z[0]};
    const Vec v{b.vx[i] - b.vx[0], b.vy[i] - b.vy[0], b.vz[i] - b.vz[0]};
    const double mu = G * (b.m[0] + b.m[i]);
    const double distance = std::sqrt(dot(r, r)), speed2 = dot(v, v), radial = dot(r, v);
    Orbit orbit;
    orbit.body = static_cast<u32>(i);
    orbit.fault = !(distance > 0) ? "at body 0" : !(mu > 0) ? "no mass" : "";
    if (*orbit.fault == '\0') {
      const double inverse = 2 / distance - speed2 / mu;
      // Below the rounding of its two parts it is that of a parabola.
      const bool parabola = std::abs(inverse) <= 4 * std::numeric_limits<double>::epsilon() * (2 / distance);
      // v x (r x v) = r v^2 - v (r.v)
      Vec e;
      for (int k = 0; k < 3; ++k) e[k] = (r[k] * speed2 - v[k] * radial) / mu - r[k] / distance;
      orbit.eccentricity = finite(std::sqrt(dot(e, e)));
      if (!parabola) orbit.semi_major_axis = finite(1 / inverse);
      const double a = orbit.semi_major_axis.value_or(0);
      if (a > 0) orbit.period = finite(2 * std::acos(-1.0) * a * std::sqrt(a / mu));
    }
    orbits.push_back(orbit);
  }
  return orbits;
}

std::string orbits_table(const std::vector<Orbit>& orbits, std::size_t most, const UnitSystem* units) {
  const auto head = [&](const char* name, const char* quantity) {
    const std::string unit = unit_behind(units, quantity);
    return unit.empty() ? std::string(name) : fmt::format("{},{}", name, unit);
  };
  const ClockUnit clock = clock_unit(units);
  TextTable table({{"body", true},
                   {head("semi-major axis", "length"), true},
                   {"eccentricity", true},
                   {clock.behind.empty() ? "period" : fmt::format("period,{}", clock.behind), true}});
  for (std::size_t i = 0; i < orbits.size() && i < most; ++i) {
    const Orbit& o = orbits[i];
    const std::string body = fmt::format("{}", o.body);
    if (*o.fault != '\0') {
      table.add({body, "-", "-", o.fault});
      continue;
    }
    const double e = o.eccentricity.value_or(0);
    table.add({body, o.semi_major_axis ? length_text(*o.semi_major_axis) : "parabola",
               !o.eccentricity ? "-"
               : e < 1e6       ? fmt::format("{:.5f}", e)
                               : fmt::format("{:.6g}", e),
               o.period ? fmt::format("{:.6g}", clock.size * *o.period) : "unbound"});
  }
  std::string text = "osculating orbits about body 0\n" + table.text();
  if (orbits.size() > most) text += fmt::format("and {} more\n", orbits.size() - most);
  return text;
}

}  // namespace tri::app
