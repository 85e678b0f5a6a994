#include "sim/model/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"

namespace tri {

namespace {

constexpr double kNewton = 6.67430e-11, kBoltzmann = 1.380649e-23, kAtomicMass = 1.66053906660e-27;
constexpr double kElectronvolt = 1.602176634e-19;
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
    physical({"angstrom-ev-amu", "A", "amu", "A sqrt(amu/eV)", "sqrt(eV/amu)", "eV/(A amu)", "eV", 1e-10, kAtomicMass,
              1e-10 * std::sqrt(kAtomicMass / kElectronvolt)}),
};

/// A unit of a system that three units make.
enum class Dimension : std::size_t { length, mass, time, velocity };
struct Unit {
  std::string_view symbol;  ///< in lower case, but for the Angstrom
  Dimension of;
  double si;
};

constexpr Unit kUnits[] = {{"m", Dimension::length, 1},
                           {"cm", Dimension::length, 0.01},
                           {"km", Dimension::length, 1000},
                           {"au", Dimension::length, kAstronomicalUnit},
                           {"pc", Dimension::length, kKiloparsec / 1000},
                           {"kpc", Dimension::length, kKiloparsec},
                           {"mpc", Dimension::length, kKiloparsec * 1000},
                           {"nm", Dimension::length, 1e-9},
                           {"angstrom", Dimension::length, 1e-10},
                           {"kg", Dimension::mass, 1},
                           {"g", Dimension::mass, 0.001},
                           {"msun", Dimension::mass, kSolarMass},
                           {"solar masses", Dimension::mass, kSolarMass},
                           {"amu", Dimension::mass, kAtomicMass},
                           {"u", Dimension::mass, kAtomicMass},
                           {"s", Dimension::time, 1},
                           {"day", Dimension::time, 86400},
                           {"yr", Dimension::time, kYear},
                           {"year", Dimension::time, kYear},
                           {"kyr", Dimension::time, 1e3 * kYear},
                           {"myr", Dimension::time, 1e6 * kYear},
                           {"gyr", Dimension::time, 1e9 * kYear},
                           {"ns", Dimension::time, 1e-9},
                           {"ps", Dimension::time, 1e-12},
                           {"fs", Dimension::time, 1e-15},
                           {"kms", Dimension::velocity, 1000}};

std::string_view stripped(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A million or a thousandth: of units whose letters are written in any case, as mpc.
constexpr std::string_view kMegaOrMilli = "mpc";

const Unit* find_unit(std::string_view text) {
  std::string symbol(text);
  for (char& c : symbol) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto at = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.symbol == symbol; });
  return at == std::end(kUnits) || (symbol == kMegaOrMilli && text[0] == 'm') ? nullptr : at;
}

/// The dimension and size of "kpc", "1e10 Msun", "km/s", "kpc/(km/s)", "mass Msun"; a size of 0: the text is no unit.
Unit unit_from(std::string_view text) {
  for (const std::string_view word : {"length ", "mass ", "time ", "velocity "}) {
    if (text.starts_with(word)) text = stripped(text.substr(word.size()));
  }
  Unit unit{text, Dimension::length, 0};
  double factor = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error == std::errc()) text = stripped(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!std::isfinite(factor) || !(factor > 0)) return unit;
  const std::string symbol(text);
  const std::size_t slash = symbol.find('/');
  if (slash == std::string::npos) {
    if (const Unit* found = find_unit(symbol)) unit.of = found->of, unit.si = factor * found->si;
    return unit;
  }
  const Unit* over = find_unit(symbol.substr(0, slash));
  if (over == nullptr || over->of != Dimension::length) return unit;
  std::string under = symbol.substr(slash + 1);
  if (under.starts_with('(') && under.ends_with(')')) {
    const Unit velocity = unit_from(std::string_view(under).substr(1, under.size() - 2));
    if (velocity.of == Dimension::velocity) unit.of = Dimension::time, unit.si = factor * over->si / velocity.si;
  } else if (const Unit* time = find_unit(under); time != nullptr && time->of == Dimension::time) {
    unit.of = Dimension::velocity, unit.si = factor * over->si / time->si;
  }
  return unit;
}

/// A system that three units make, with the texts that it points to.
struct Made {
  std::string length, mass, time, velocity, acceleration, energy;
  UnitSystem system{};
};

/// The units of a text, by dimension; false: it is not three that make a system.
bool units_in(std::string_view text, std::array<Unit, 4>& units) {
  const char mark = text.find(',') != std::string_view::npos   ? ','
                    : text.find('_') != std::string_view::npos ? '_'
                                                               : '-';
  std::size_t parts = 0;
  for (std::size_t at = 0; at <= text.size(); ++parts) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    const Unit unit = unit_from(stripped(text.substr(at, end - at)));
    Unit& place = units[static_cast<std::size_t>(unit.of)];
    if (!(unit.si > 0) || !std::isfinite(unit.si) || place.si > 0 || parts == 3) return false;
    place = unit;
    at = end + 1;
  }
  return parts == 3 && units[0].si > 0 && units[1].si > 0;
}

const UnitSystem* made_of(std::string_view text) {
  std::array<Unit, 4> units{};
  if (!units_in(text, units)) return nullptr;
  const auto& [length, mass, time, velocity] = units;
  const bool timed = time.si > 0;
  UnitSystem system{};
  system.metre = length.si, system.kilogram = mass.si, system.second = timed ? time.si : length.si / velocity.si;
  system = physical(system);
  if (!(system.G > 0) || !std::isfinite(system.G)) return nullptr;
  std::string name = fmt::format("{}_{}_{}", length.symbol, mass.symbol, timed ? time.symbol : velocity.symbol);
  std::erase(name, ' ');
  static std::mutex mutex;
  static std::map<std::string, Made> all;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = all.try_emplace(name);
  Made& made = at->second;
  if (!is_new) return &made.system;
  made.length = length.symbol, made.mass = mass.symbol;
  made.time = timed ? std::string(time.symbol) : fmt::format("{}/({})", length.symbol, velocity.symbol);
  made.velocity = timed ? fmt::format("{}/{}", length.symbol, time.symbol) : std::string(velocity.symbol);
  made.acceleration = timed ? fmt::format("{}/({})^2", length.symbol, time.symbol)
                            : fmt::format("({})^2/({})", velocity.symbol, length.symbol);
  made.energy = fmt::format("{} ({})^2", mass.symbol, made.velocity);
  system.name = at->first.c_str(), system.length = made.length.c_str(), system.mass = made.mass.c_str();
  system.time = made.time.c_str(), system.velocity = made.velocity.c_str();
  system.acceleration = made.acceleration.c_str(), system.energy = made.energy.c_str();
  made.system = system;
  return &made.system;
}

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
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto at = std::find_if(kSystems.begin(), kSystems.end(), [&](const UnitSystem& s) { return lower == s.name; });
  return at == kSystems.end() ? made_of(name) : &*at;
}

std::string ambiguous_unit(std::string_view text) {
  constexpr auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find('m'); at != std::string_view::npos; at = text.find('m', at + 1)) {
    if (at > 0 && is_letter(text[at - 1])) continue;
    std::string word;
    for (std::size_t c = at; c < text.size() && is_letter(text[c]); ++c) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[c])));
    }
    if (word != kMegaOrMilli) continue;
    return fmt::format("{} is a megaparsec to some and a milliparsec to others; write Mpc, or 1e-3pc",
                       text.substr(at, word.size()));
  }
  return "";
}

bool seems_to_name_units(std::string_view text) {
  if (text.find(' ') == std::string_view::npos) return true;
  for (const char mark : {',', ';', '_', '-', ' '}) {
    std::size_t parts = 0, known = 0;
    for (std::size_t at = 0; at <= text.size(); ++parts) {
      const std::size_t end = std::min(text.find(mark, at), text.size());
      const std::string_view part = stripped(text.substr(at, end - at));
      known += unit_from(part).si > 0 || !ambiguous_unit(part).empty();
      at = end + 1;
    }
    if (known > 0 && (mark != ' ' || known == parts)) return true;  // a sentence may have units among its words
  }
  return !closest_name(text, unit_system_names()).empty();
}

std::string unknown_units(std::string_view text) {
  const std::string two = ambiguous_unit(text);
  return two.empty() ? unknown_name("unit system", std::string(text), unit_system_names())
                     : fmt::format("unit system '{}': {}.", text, two);
}

std::string behind_unknown_units(std::string_view text) {
  const std::string two = ambiguous_unit(text);
  return two.empty() ? "." + did_you_mean(text, unit_system_names()) : fmt::format(": {}.", two);
}

const UnitSystem* unit_system_in_cgs(double length, double mass, double velocity) {
  return made_of(fmt::format("{}cm_{}g_{}cm/s", length, mass, velocity));
}

bool same_units(const UnitSystem& a, const UnitSystem& b) {
  if (&a == &b) return true;
  if (!a.is_physical() || !b.is_physical()) return false;
  const auto near = [](double p, double q) { return std::abs(p - q) <= 1e-3 * q; };
  return near(a.metre, b.metre) && near(a.kilogram, b.kilogram) && near(a.second, b.second);
}

const UnitSystem& unit_system_from(std::string_view name) {
  if (const UnitSystem* system = find_unit_system(name)) return *system;
  throw ConfigError(unknown_units(name));
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

ClockUnit clock_unit(const UnitSystem* system) {
  // Times that are quotients are no unit that anyone reads: those of planets are years, those of stars millions of
  // them.
  const bool derived = system != nullptr && std::string_view(system->time).find('/') != std::string_view::npos;
  if (!derived || system->second < kYear / 100) return {1, unit_behind(system, "time")};
  return system->second < 1e4 * kYear ? ClockUnit{system->second / kYear, " yr"}
                                      : ClockUnit{system->second / (1e6 * kYear), " Myr"};
}

std::string time_behind(const UnitSystem* system, double time) {
  const std::string unit = unit_behind(system, "time");
  const ClockUnit clock = clock_unit(system);
  return clock.behind == unit ? unit : fmt::format("{} ({:.6g}{})", unit, clock.size * time, clock.behind);
}

}  // namespace tri
