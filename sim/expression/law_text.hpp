#pragma once
/// From the text of a law to the expression of its energy.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/expression/dag.hpp"
#include "sim/expression/law.hpp"
#include "sim/expression/source_text.hpp"
#include "sim/expression/syntax.hpp"

namespace tri::expression {

/// The language of laws: operators + - * / ^, the functions of Lepton, square(), cube() and recip().
const Language& law_language();

/// A parameter, and where its value stands in the text, with its sign.
struct TypedParameter {
  std::string name;
  double value = 0;
  u32 offset = 0, length = 0;
};

struct LawText {
  Dag dag;
  Id energy = 0;   ///< of q (of a triple: three), not yet cut off; the parameter k is Symbol::parameter + k
  u32 offset = 0;  ///< where the energy begins
  std::vector<TypedParameter> parameters;
  std::optional<u32> softening, cutoff, shifted;  ///< numbers of these parameters
};

/// Throws ConfigError. Every definition must be used.
LawText read_law(const SourceText& source, Over over);

/// A sentence if the parameter of this name must not have this value; else empty.
std::string fault_of(std::string_view parameter, double value);

}  // namespace tri::expression
