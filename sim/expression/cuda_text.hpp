#pragma once
/// A program as text: the body of a device functor for the run-time compiler.
///
/// Only digits, operators and names of this file reach the text, never anything that the user typed.

#include <span>
#include <string>
#include <vector>

#include "sim/expression/program.hpp"

namespace tri::expression {

struct FunctorText {
  std::string statements;            ///< one a line: "  const V t3 = M::mul_add(t0, t1, t2);"
  std::vector<std::string> outputs;  ///< names of the results, as "t3", in the order of Program::outputs
};

/// The statements stand in a function with an arithmetic M (as laws::ScalarMath) of the number type V, float or double;
/// with the inputs of the program as values V under these names (as many as its inputs, valid identifiers); and with
/// its uniforms as u[0], u[1], ..., convertible to V. They define t0, t1, ...
FunctorText functor_statements(const Program& program, std::span<const std::string> input_names);

/// What the statements use beside M: device functions tri_exp(x), tri_power(x, y), ... for float and double. Text for
/// the global namespace (or one that encloses the functor), once, before it.
std::string functor_prelude();

}  // namespace tri::expression
