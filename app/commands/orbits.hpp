#pragma once
/// Osculating Kepler orbits about body 0, for planetary scenes. Pure.

#include <optional>
#include <string>
#include <vector>

#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"

namespace tri::app {

/// The two-body orbit that a body would follow about body 0 from now on, without the other bodies.
struct Orbit {
  u32 body = 0;
  std::optional<double> semi_major_axis;  ///< negative for a hyperbola, none for a parabola; scene units
  std::optional<double> eccentricity;
  std::optional<double> period;  ///< none if unbound; scene units
  const char* fault = "";        ///< why there is no orbit, in a word or two; empty: there is one
};

/// Of bodies 1 .. n-1, with mu = G (m_0 + m_i):  1/a = 2/r - v^2/mu,  e = |v x (r x v)/mu - r/|r||. Expects G > 0.
/// Without mass, or at the place of body 0, there is none.
std::vector<Orbit> osculating_orbits(const Bodies& bodies, double G);

/// A table of at most `most` orbits, with the number of orbits omitted. units: of the scene; nullptr: none are named.
std::string orbits_table(const std::vector<Orbit>& orbits, std::size_t most, const UnitSystem* units);

}  // namespace tri::app
