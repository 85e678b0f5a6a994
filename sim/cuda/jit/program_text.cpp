#include "sim/cuda/jit/program_text.hpp"

#include <fmt/format.h>
namespace tri::cuda {
std::string functor_statements(const expression::Program& program, std::span<const std::string_view> names) {
  using expression::Op;
  std::string out;
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const auto& c = program.code[k];
    const std::string a = fmt::format("t{}", c.a), b = fmt::format("t{}", c.b), d = fmt::format("t{}", c.c);
    std::string v;
    switch (c.op) {
      case Op::input: v = std::string(names[c.a]); break;
      case Op::uniform: v = fmt::format("u[{}]", c.a); break;
      case Op::number: v = fmt::format("V({:a})", program.numbers[c.a]); break;
      case Op::add: v = a + " + " + b; break;
      case Op::subtract: v = a + " - " + b; break;
      case Op::multiply: v = a + " * " + b; break;
      case Op::multiply_add: v = "M::mul_add(" + a + ", " + b + ", " + d + ")"; break;
      case Op::neg_multiply_add: v = "M::neg_mul_add(" + a + ", " + b + ", " + d + ")"; break;
      case Op::negate: v = "-" + a; break;
      case Op::reciprocal: v = "M::reciprocal(" + a + ")"; break;
      case Op::sqrt: v = "::sqrt(" + a + ")"; break;
      case Op::rsqrt: v = "M::rsqrt(" + a + ")"; break;
      case Op::rsqrt_cubed: v = "M::rsqrt_cubed(" + a + ")"; break;
      case Op::exp: v = "::exp(" + a + ")"; break;
      case Op::below: v = "M::only_if(M::less(" + a + ", " + b + "), " + d + ")"; break;
      default: v = "unsupported"; break;
    }
    out += fmt::format("    const V t{} = {};\n", k, v);
  }
  return out;
}
}  // namespace tri::cuda
