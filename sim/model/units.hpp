#pragma once
/// Named systems of units: what the numbers of a scene mean, and the gravitational constant that follows.
///
/// A system does not convert anything: a scene computes in its own numbers, and the system says what they are. Sizes in
/// SI come from
/// - CODATA 2018 (Tiesinga, Mohr, Newell, Taylor, Rev. Mod. Phys. 93, 025010, 2021): G = 6.67430e-11 m^3/(kg s^2), the
///   atomic mass constant 1.66053906660e-27 kg, Boltzmann's constant 1.380649e-23 J/K;
/// - the IAU: the astronomical unit 149597870700 m (2012, resolution B2), the parsec 648000/pi AU (2015, B2), the
///   nominal solar G M 1.3271244e20 m^3/s^2 (2015, B3), the Julian year of 365.25 days. The year of au-msun, where G is
///   1, is that of Gauss: 365.2569 days.
/// Where the unit of mass is the Sun, G is the nominal G M over the units of length and time, known to more digits than
/// G itself.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tri {

struct UnitSystem {
  const char* name;  ///< as typed
  /// Symbols; empty: numbers without a unit.
  const char *length, *mass, *time, *velocity, *acceleration, *energy;
  double metre = 0, kilogram = 0, second = 0;  ///< the units in SI; 0: they have no fixed size
  double G = 1;                                ///< gravitational constant in these units

  bool is_physical() const { return metre > 0; }
  double joule() const { return kilogram * metre * metre / (second * second); }  ///< the unit of energy
  double kelvin() const;  ///< the unit of energy over Boltzmann's constant; 0: no fixed size
  /// "length kpc, mass Msun, time kpc/(km/s), G = 4.30092e-06"; of nbody "G = 1".
  std::string text() const;
};

/// nbody, si, au-yr-msun, au-msun, kpc-kms-msun, lj, nm-ps-amu, angstrom-ps-amu, angstrom-ev-amu.
std::span<const UnitSystem> unit_systems();
std::vector<std::string_view> unit_system_names();

/// The system of that name, or the one that three units make: a length, a mass, and a time or velocity, in any order,
/// separated by commas, '_' or '-', each behind a factor if it has one: "pc-myr-msun", "kpc, 1e10 Msun, km/s",
/// "3.085678e21cm_1.989e43g_1e5cm/s". nullptr: the text is neither, but may describe units in words. The system lives
/// as long as the program. Thread-safe.
const UnitSystem* find_unit_system(std::string_view name);
/// Whether a text that is no system seems to be meant as one: a word, near a name, or with known units among its parts.
bool seems_to_name_units(std::string_view text);
/// What to say of a unit in a text that may be either of two, "mpc is ...; write Mpc, or 1e-3pc"; empty: there is none.
std::string ambiguous_unit(std::string_view text);
/// A sentence about a text that is no system: the nearest name and all names, or what ambiguous_unit() says.
std::string unknown_units(std::string_view text);
/// How a sentence ends that says that the text is no system: "." or with a hint, as in the ones above.
std::string behind_unknown_units(std::string_view text);
/// The system with units of these sizes in cm, g and cm/s; nullptr: they make none.
const UnitSystem* unit_system_in_cgs(double length, double mass, double velocity);
/// Whether two systems are one, or have units of the same sizes to a thousandth (as well as the Sun's mass is known).
bool same_units(const UnitSystem& a, const UnitSystem& b);
/// Throws ConfigError with unknown_units().
const UnitSystem& unit_system_from(std::string_view name);

/// " kpc" behind a number of a quantity (length, mass, time, velocity, acceleration, energy); empty without a system or
/// symbol, and for any other quantity.
std::string unit_behind(const UnitSystem* system, std::string_view quantity);

/// What a clock shows times in: years where a system counts in yr/2pi or AU/(km/s), millions of years where in
/// kpc/(km/s), else the system's own unit.
struct ClockUnit {
  double size = 1;     ///< of a unit of the system's time
  std::string behind;  ///< as unit_behind()
};
ClockUnit clock_unit(const UnitSystem* system);
/// " yr/2pi (1 yr)" behind a time in the system's unit.
std::string time_behind(const UnitSystem* system, double time);

}  // namespace tri
