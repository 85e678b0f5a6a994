#pragma once
/// One operation on numbers, rounded in Real.

#include <cmath>

#include "sim/base/contracts.hpp"
#include "sim/base/platform.hpp"
#include "sim/expression/program.hpp"

namespace tri::expression {

/// One of the functions of the C library.
template <class Real>
Real apply_function(Op op, Real a, Real b) {
  switch (op) {
    case Op::power:
      return std::pow(a, b);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::erf:
      return std::erf(a);
    case Op::erfc:
      return std::erfc(a);
    default:
      TRI_UNREACHABLE("Op");
  }
}

/// The result of an operation with these operands (not of input, uniform and number, which have none). With a NaN, min
/// gives its second operand and max its first, as in the arithmetic of the kernels (sim/laws/scalar_math.hpp).
template <class Real>
Real apply(Op op, Real a, Real b, Real c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::multiply_add:
      return a * b + c;
    case Op::neg_multiply_add:
      return c - a * b;
    case Op::negate:
      return -a;
    case Op::reciprocal:
      return Real(1) / a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::rsqrt:
      return Real(1) / std::sqrt(a);
    case Op::rsqrt_cubed: {
      const Real inverse = Real(1) / std::sqrt(a);
      return inverse * (inverse * inverse);
    }
    case Op::abs:
      return std::fabs(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::min:
      return a < b ? a : b;
    case Op::max:
      return a < b ? b : a;
    case Op::step:
      return a < 0 ? Real(0) : Real(1);
    case Op::select:
      return a != 0 ? b : c;
    case Op::below:
      return a < b ? c : Real(0);
    default:
      return apply_function(op, a, b);
  }
}

}  // namespace tri::expression
