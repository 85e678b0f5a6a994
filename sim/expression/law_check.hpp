#pragma once
/// The check of a law on random inputs, when it is made.

#include <span>
#include <string>

#include "sim/expression/dag.hpp"
#include "sim/expression/law.hpp"
#include "sim/expression/program.hpp"

namespace tri::expression {

/// What is checked: the slopes 2 dE/dq (of a triple: three) and the energy of a law without its cut-off.
struct CheckedLaw {
  Over over = Over::pairs;
  const Program& program;
  std::span<const double> uniforms;
  std::span<const Parameter> parameters;
  u64 depends;                      ///< Expression::depends of the energy
  bool is_symmetric;                ///< proved (symmetry.hpp); else samples look for a pair that disproves it
  std::span<const double> numbers;  ///< sizes of the numbers in the text, around which such pairs may be
};

/// The inputs are the same in every run. They cover distances from 0.05 to 20 and around each parameter, which may be a
/// length in other units. Points near a jump or a kink, where differences give no derivative, are left out. fault: a
/// sentence if the law is not to be used, else empty; it is not without a proof of its symmetry.
LawCheck check_law(const CheckedLaw& law, std::string& fault);

}  // namespace tri::expression
