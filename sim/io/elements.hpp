#pragma once
/// The chemical elements: symbols, and the standard atomic weights of IUPAC 2013 in u (Meija et al., Pure Appl. Chem.
/// 88, 265, 2016; the conventional weight where that is an interval). Elements without stable isotopes have none.

#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::io {

inline constexpr u32 kElements = 118;

/// The atomic number of a symbol, as "Ar"; 0: no element has it.
u32 element_of(std::string_view symbol);

/// What a label of an atom says, as of PDB, CIF and other programs: "Ar", "AR", "Ar1", "Fe2+", "C_a", and "D" and "T",
/// hydrogen of mass 2 and 3. An element of 0: it names none.
struct Species {
  u32 element = 0;
  double weight = 0;  ///< in u; 0: it has none
  bool exact = true;  ///< the label is the symbol
};
Species species_of(std::string_view label);

/// The symbol of an atomic number; "X" for 0. At most kElements.
std::string_view symbol_of(u32 element);
/// Of the atomic number, in u; 0: it has none.
double weight_of(u32 element);

}  // namespace tri::io
