#include "sim/model/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"

namespace tri {

namespace {

constexpr double kNewton = 6.67430e-11, kBoltzmann = 1.380649e-23, kAtomicMass = 1.66053906660e-27;
constexpr double kSolarGM = 1.3271244e20, kAstronomicalUnit = 149597870700.0, kYear = 365.25 * 86400;
constexpr double kKiloparsec = 1000 * (648000 / std::numbers::pi) * kAstronomicalUnit;
constexpr double kSolarMass = kSolarGM / kNewton;

constexpr UnitSystem physical(UnitSystem s) {
  const double gm = s.kilogram == kSolarMass ? kSolarGM : kNewton * s.kilogram;
  s.G = gm * s.second * s.second / (s.metre * s.metre * s.metre);
  return s;
}

/// Units of length and mass, and the one of time with which G is 1.
UnitSystem with_unit_gravity(UnitSystem s) {
  s.second = std::sqrt(s.metre * s.metre * s.metre / (kSolarGM * (s.kilogram / kSolarMass)));
  s.G = 1;
  return s;
}

const std::array kSystems{
    UnitSystem{"nbody", "", "", "", "", "", ""},
    physical({"si", "m", "kg", "s", "m/s", "m/s^2", "J", 1, 1, 1}),
    physical(
        {"au-yr-msun", "AU", "Msun", "yr", "AU/yr", "AU/yr^2", "Msun AU^2/yr^2", kAstronomicalUnit, kSolarMass, kYear}),
    with_unit_gravity({"au-msun", "AU", "Msun", "yr/2pi", "AU/(yr/2pi)", "AU/(yr/2pi)^2", "Msun (AU/(yr/2pi))^2",
                       kAstronomicalUnit, kSolarMass}),
    physical({"kpc-kms-msun", "kpc", "Msun", "kpc/(km/s)", "km/s", "(km/s)^2/kpc", "Msun (km/s)^2", kKiloparsec,
              kSolarMass, kKiloparsec / 1000}),
    UnitSystem{"lj", "sigma", "m", "sigma sqrt(m/epsilon)", "sqrt(epsilon/m)", "epsilon/(m sigma)", "epsilon"},
    physical({"nm-ps-amu", "nm", "amu", "ps", "nm/ps", "nm/ps^2", "amu nm^2/ps^2", 1e-9, kAtomicMass, 1e-12}),
    physical({"angstrom-ps-amu", "A", "amu", "ps", "A/ps", "A/ps^2", "amu A^2/ps^2", 1e-10, kAtomicMass, 1e-12}),
};

}  // namespace

double UnitSystem::kelvin() const { return is_physical() ? joule() / kBoltzmann : 0; }

std::string UnitSystem::text() const {
  std::string constant = fmt::format("G = {:.6g}", G);
  if (*length == '\0') return constant;
  return fmt::format("length {}, mass {}, time {}, {}", length, mass, time, constant);
}

std::span<const UnitSystem> unit_systems() { return kSystems; }

std::vector<std::string_view> unit_system_names() {
  std::vector<std::string_view> names;
  for (const UnitSystem& s : kSystems) names.emplace_back(s.name);
  return names;
}

const UnitSystem* find_unit_system(std::string_view name) {
  const auto at = std::find_if(kSystems.begin(), kSystems.end(), [&](const UnitSystem& s) { return name == s.name; });
  return at == kSystems.end() ? nullptr : &*at;
}

const UnitSystem& unit_system_from(std::string_view name) {
  if (const UnitSystem* system = find_unit_system(name)) return *system;
  throw ConfigError(unknown_name("unit system", std::string(name), unit_system_names()));
}

std::string unit_behind(const UnitSystem* system, std::string_view quantity) {
  if (system == nullptr) return "";
  const char* const symbol = quantity == "length"         ? system->length
                             : quantity == "mass"         ? system->mass
                             : quantity == "time"         ? system->time
                             : quantity == "velocity"     ? system->velocity
                             : quantity == "acceleration" ? system->acceleration
                             : quantity == "energy"       ? system->energy
                                                          : "";
  return *symbol == '\0' ? "" : fmt::format(" {}", symbol);
}

}  // namespace tri
