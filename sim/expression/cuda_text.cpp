#include "sim/expression/cuda_text.hpp"

#include <fmt/format.h>

#include "sim/base/contracts.hpp"

namespace tri::expression {
namespace {

constexpr Op kTextFunctions[] = {Op::power, Op::exp,  Op::log,  Op::sin,   Op::cos,   Op::tan,
                                 Op::asin,  Op::acos, Op::atan, Op::sinh,  Op::cosh,  Op::tanh,
                                 Op::erf,   Op::erfc, Op::abs,  Op::atan2, Op::floor, Op::ceil};

/// CUDA's name of a function for double; that for float ends with f.
std::string device_name(Op op) {
  if (op == Op::power) return "pow";
  return std::string(op == Op::abs ? "fabs" : name_of(op));
}

std::string right_side(const Program& program, const Instruction& i, std::span<const std::string> input_names) {
  const auto a = fmt::format("t{}", i.a), b = fmt::format("t{}", i.b), c = fmt::format("t{}", i.c);
  switch (i.op) {
    case Op::input:
      TRI_EXPECTS(i.a < input_names.size());
      return input_names[i.a];
    case Op::uniform:
      return fmt::format("u[{}]", i.a);
    case Op::number:
      return fmt::format("M::set({:a})", program.numbers[i.a]);
    case Op::add:
      return fmt::format("{} + {}", a, b);
    case Op::subtract:
      return fmt::format("{} - {}", a, b);
    case Op::multiply:
      return fmt::format("{} * {}", a, b);
    case Op::divide:
      return fmt::format("{} / {}", a, b);
    case Op::multiply_add:
      return fmt::format("M::mul_add({}, {}, {})", a, b, c);
    case Op::neg_multiply_add:
      return fmt::format("M::neg_mul_add({}, {}, {})", a, b, c);
    case Op::negate:
      return fmt::format("-{}", a);
    case Op::reciprocal:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::rsqrt_cubed:
      return fmt::format("M::{}({})", name_of(i.op), a);
    case Op::min:
    case Op::max:
      return fmt::format("M::{}({}, {})", name_of(i.op), a, b);
    case Op::step:
      return fmt::format("M::select(M::less({}, M::set(0.0)), M::set(0.0), M::set(1.0))", a);
    case Op::select:
      return fmt::format("M::select({} != M::set(0.0), {}, {})", a, b, c);
    case Op::below:
      return fmt::format("M::only_if(M::less({}, {}), {})", a, b, c);
    default:
      break;
  }
  return operand_count(i.op) == 2 ? fmt::format("tri_{}({}, {})", name_of(i.op), a, b)
                                  : fmt::format("tri_{}({})", name_of(i.op), a);
}

}  // namespace

FunctorText functor_statements(const Program& program, std::span<const std::string> input_names) {
  FunctorText text;
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    text.statements += fmt::format("  const V t{} = {};\n", k, right_side(program, program.code[k], input_names));
  }
  for (const u32 output : program.outputs) text.outputs.push_back(fmt::format("t{}", output));
  return text;
}

std::string functor_prelude() {
  std::string text;
  for (const Op op : kTextFunctions) {
    for (const bool is_float : {true, false}) {
      const std::string_view type = is_float ? "float" : "double";
      const bool has_two = operand_count(op) == 2;
      text += fmt::format("__device__ __forceinline__ {0} tri_{1}({0} x{2}) {{ return {3}{4}(x{5}); }}\n", type,
                          name_of(op), has_two ? fmt::format(", {} y", type) : "", device_name(op), is_float ? "f" : "",
                          has_two ? ", y" : "");
    }
  }
  return text;
}

}  // namespace tri::expression
