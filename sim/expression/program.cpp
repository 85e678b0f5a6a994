#include "sim/expression/program.hpp"

#include "sim/base/contracts.hpp"
#include "sim/expression/operations.hpp"

namespace tri::expression {

u32 operand_count(Op op) {
  switch (op) {
    case Op::input:
    case Op::uniform:
    case Op::number:
      return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max:
      return 2;
    case Op::multiply_add:
    case Op::neg_multiply_add:
    case Op::select:
    case Op::below:
      return 3;
    default:
      return 1;
  }
}

std::string_view name_of(Op op) {
  constexpr std::string_view kNames[] = {"input",  "uniform",      "number",
                                         "add",    "subtract",     "multiply",
                                         "divide", "multiply_add", "neg_multiply_add",
                                         "negate", "reciprocal",   "sqrt",
                                         "rsqrt",  "rsqrt_cubed",  "power",
                                         "exp",    "log",          "sin",
                                         "cos",    "tan",          "asin",
                                         "acos",   "atan",         "atan2",
                                         "sinh",   "cosh",         "tanh",
                                         "erf",    "erfc",         "abs",
                                         "floor",  "ceil",         "min",
                                         "max",    "step",         "select",
                                         "below"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Op::below) + 1);
  return kNames[static_cast<std::size_t>(op)];
}

template <class Real>
std::vector<Real> Program::run(std::span<const Real> inputs, std::span<const Real> uniforms) const {
  std::vector<Real> results(code.size());
  for (std::size_t k = 0; k < code.size(); ++k) {
    const Instruction& i = code[k];
    switch (i.op) {
      case Op::input:
        results[k] = inputs[i.a];
        break;
      case Op::uniform:
        results[k] = uniforms[i.a];
        break;
      case Op::number:
        results[k] = static_cast<Real>(numbers[i.a]);
        break;
      default: {
        const u32 operands = operand_count(i.op);
        results[k] = apply<Real>(i.op, results[i.a], operands > 1 ? results[i.b] : Real(0),
                                 operands > 2 ? results[i.c] : Real(0));
      }
    }
  }
  std::vector<Real> values;
  for (const u32 output : outputs) values.push_back(results[output]);
  return values;
}

template std::vector<float> Program::run(std::span<const float>, std::span<const float>) const;
template std::vector<double> Program::run(std::span<const double>, std::span<const double>) const;
template std::vector<long double> Program::run(std::span<const long double>, std::span<const long double>) const;

}  // namespace tri::expression
