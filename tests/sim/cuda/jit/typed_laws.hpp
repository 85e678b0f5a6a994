#pragma once
/// Typed laws for the tests of their kernels: one of each kind.

#include <string>
#include <vector>

#include "sim/expression/law.hpp"

namespace tri::test {

struct NamedLaw {
  std::string name, text;
};

inline expression::TypedLaw pair_law(const std::string& text) {
  return expression::typed_law(text, expression::Over::pairs);
}

inline const char* const kTypedGravity = "energy = -G*mi*mj/sqrt(r^2 + soft^2); G = 2.5; soft = 0.05";
inline const char* const kTypedSoftGravity = "energy = -G*mi*mj/r; G = 2.5; softening = 0.05";
inline const char* const kTypedLennardJones = "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1";
inline const char* const kTypedCut = "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1; cutoff = 2.5; shifted = 1";

/// Without parameters of the box; every column of a body, every way to vanish far away.
inline std::vector<NamedLaw> typed_laws() {
  return {{"gravity", kTypedGravity},
          {"soft_gravity", kTypedSoftGravity},
          {"lennard_jones", kTypedLennardJones},
          {"lennard_jones_cut", kTypedCut},
          {"morse", "energy = D*((1 - exp(-a*(r - r0)))^2 - 1); D = 1.3; a = 1.5; r0 = 1.2"},
          {"yukawa", "energy = k*qi*qj*exp(-r/L)/r; k = 0.7; L = 1.5; softening = 0.1"},
          {"logarithm", "energy = k*(mi + mj)*log(r^2 + 0.01); k = 0.3"},
          {"soft_spheres", "energy = 0.5*k*max(0, ri + rj - r)^2; k = 100; softening = 0.01"},
          {"spring", "energy = 0.5*k*r^2; k = 0.01"}};
}

inline expression::TypedLaw triple_law(const std::string& text) {
  return expression::typed_law(text, expression::Over::triples);
}

inline const char* const kTypedAxilrodTeller =
    "energy = nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2+b^2-c^2; y = b^2+c^2-a^2; z = c^2+a^2-b^2; nu = "
    "0.072";
/// Of no single power of the distance.
inline const char* const kTypedTriples = "energy = k*exp(-(a + b + c)/L)/(a*b*c + 0.1); k = 2; L = 3";

}  // namespace tri::test
