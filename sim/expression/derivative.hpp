#pragma once
/// Symbolic derivatives.

#include "sim/expression/dag.hpp"

namespace tri::expression {

/// dE/d(symbol). Piecewise functions have the derivative of the piece: abs, min, max, select; that of step, floor and
/// ceil is 0 (their jumps give no force). Throws BeyondLimit.
Id derivative(Dag& dag, Id energy, u32 symbol);

}  // namespace tri::expression
