#include "app/commands/orbits.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "app/support/text_table.hpp"

namespace tri::app {

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
    orbit.semi_major_axis = 1 / (2 / distance - speed2 / mu);
    // v x (r x v) = r v^2 - v (r.v)
    Vec e;
    for (int k = 0; k < 3; ++k) e[k] = (r[k] * speed2 - v[k] * radial) / mu - r[k] / distance;
    orbit.eccentricity = std::sqrt(dot(e, e));
    const double a = orbit.semi_major_axis;
    orbit.period = a > 0 ? 2 * std::acos(-1.0) * std::sqrt(a * a * a / mu) : std::numeric_limits<double>::infinity();
    orbits.push_back(orbit);
  }
  return orbits;
}

std::string orbits_table(const std::vector<Orbit>& orbits, std::size_t most, const UnitSystem* units) {
  const auto head = [&](const char* name, const char* quantity) {
    const std::string unit = unit_behind(units, quantity);
    return unit.empty() ? std::string(name) : fmt::format("{},{}", name, unit);
  };
  TextTable table({{"body", true},
                   {head("semi-major axis", "length"), true},
                   {"eccentricity", true},
                   {head("period", "time"), true}});
  for (std::size_t i = 0; i < orbits.size() && i < most; ++i) {
    const Orbit& o = orbits[i];
    table.add({fmt::format("{}", o.body), fmt::format("{:.5f}", o.semi_major_axis),
               fmt::format("{:.5f}", o.eccentricity), fmt::format("{:.6g}", o.period)});
  }
  std::string text = "osculating orbits about body 0\n" + table.text();
  if (orbits.size() > most) text += fmt::format("and {} more\n", orbits.size() - most);
  return text;
}

}  // namespace tri::app
