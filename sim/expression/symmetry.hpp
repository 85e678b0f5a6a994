#pragma once
/// Whether an energy is proved to be the same for every order of its bodies.

#include "sim/expression/dag.hpp"
#include "sim/expression/law.hpp"

namespace tri::expression {

/// Exchanges the bodies (of a triple: two sides, in every way) and compares normal forms: sums and products of atoms,
/// where an atom is a symbol or a function of such forms. min and max take their arguments in any order, even and odd
/// functions either sign, log() a reciprocal. What that leaves open is multiplied out, over common denominators.
/// False: no proof was found, which is no disproof. Numbers count as equal to 12 digits. Pure.
bool is_symmetric(const Dag& dag, Id energy, Over over);

}  // namespace tri::expression
