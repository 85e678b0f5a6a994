#pragma once
/// The program of a typed law, and its text for a device.
///
/// A typed law as a straight-line program: what the parser makes of its text, and what backends run.
///
/// A program is a list of instructions in single assignment: operand k is the result of instruction k, which is always
/// an earlier one. The cpu backend interprets it over rows of pairs; the cuda backend prints it as the body of a
/// functor. Plain data; any thread may read it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::expression {

/// What an instruction computes from its operands a, b, c.
enum class Op : u8 {
  input,    ///< input number a (PairInput, TripleInput, or the number of a parameter)
  uniform,  ///< uniform number a: a value that is the same for all pairs
  number,   ///< numbers[a]
  add,
  subtract,
  multiply,
  divide,
  multiply_add,      ///< a b + c
  neg_multiply_add,  ///< c - a b
  negate,
  reciprocal,
  sqrt,
  rsqrt,        ///< a^(-1/2)
  rsqrt_cubed,  ///< a^(-3/2)
  power,        ///< a^b, for exponents that are no multiples of 1/2
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  erf,
  erfc,
  abs,
  floor,
  ceil,
  min,
  max,
  step,    ///< 0 if a < 0, else 1
  select,  ///< b if a != 0, else c (even if the other one is NaN)
  below,   ///< c if a < b, else 0 (even if c is NaN)
};

/// Operands of an operation; 0 for input, uniform and number.
u32 operand_count(Op op);
std::string_view name_of(Op op);  ///< as in the enumeration

struct Instruction {
  Op op = Op::number;
  u32 a = 0, b = 0, c = 0;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<double> numbers;
  std::vector<u32> outputs;  ///< instructions whose results are the outputs

  /// Evaluates every output for one set of inputs. uniforms: at least as many as the program names. Real: float or
  /// double, in which every operation is rounded.
  template <class Real>
  std::vector<Real> run(std::span<const Real> inputs, std::span<const Real> uniforms) const;
};

// A program as text: the body of a device functor for the run-time compiler.
//
// Only digits, operators and names of this file reach the text, never anything that the user typed.

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
