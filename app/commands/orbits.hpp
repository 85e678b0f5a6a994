#pragma once
/// Osculating Kepler orbits about body 0, for planetary scenes. Pure.

#include <string>
#include <vector>

#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"

namespace tri::app {

/// The two-body orbit that a body would follow about body 0 from now on, without the other bodies.
struct Orbit {
  u32 body = 0;
  double semi_major_axis = 0;  ///< negative for a hyperbola, infinite for a parabola; scene units
  double eccentricity = 0;
  double period = 0;  ///< infinite if unbound; scene units
};

/// Of bodies 1 .. n-1, with mu = G (m_0 + m_i):  1/a = 2/r - v^2/mu,  e = |v x (r x v)/mu - r/|r||. Expects G > 0.
std::vector<Orbit> osculating_orbits(const Bodies& bodies, double G);

/// A table of at most `most` orbits, with the number of orbits omitted. units: of the scene; nullptr: none are named.
std::string orbits_table(const std::vector<Orbit>& orbits, std::size_t most, const UnitSystem* units);

}  // namespace tri::app
