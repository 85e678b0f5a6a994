#pragma once
/// What the integer language of map files takes, and the instructions of its operators and functions. Internal to the
/// room.

#include <string_view>
#include <utility>

#include "sim/expression/syntax.hpp"
#include "sim/mapfile/program.hpp"

namespace tri::mapfile {

inline constexpr std::string_view kWhole =
    "maps are computed with integers; the floor of a square root is isqrt(), of a cube root icbrt()";
inline constexpr expression::Function kFunctions[] = {
    {"isqrt", 1}, {"icbrt", 1}, {"clz", 1},   {"ctz", 1},          {"popcount", 1},     {"min", 2},
    {"max", 2},   {"abs", 1},   {"mulhi", 2}, {"sqrt", 1, kWhole}, {"cbrt", 1, kWhole}, {"floor", 1, kWhole}};
inline constexpr std::pair<std::string_view, Op> kCalls[] = {
    {"isqrt", Op::isqrt}, {"icbrt", Op::icbrt}, {"clz", Op::clz}, {"ctz", Op::ctz},    {"popcount", Op::popcount},
    {"min", Op::min},     {"max", Op::max},     {"abs", Op::abs}, {"mulhi", Op::mulhi}};

/// first_unnamed: a single expression, without a name.
inline expression::Language language(bool first_unnamed) {
  expression::Language l;
  for (u32 o = 1; o <= static_cast<u32>(expression::Operation::remainder); ++o) l.operations |= 1u << o;
  l.choose = l.index = l.hexadecimal = true;
  l.first_unnamed = first_unnamed;
  l.functions = kFunctions;
  l.most_text = 1u << 20;
  l.most_levels = 128, l.most_nodes = 2048;  // the compiler recurses as deep as there are nodes
  return l;
}

/// The instruction of an operator.
struct Plain {
  Op op;
  bool swapped = false;  ///< operands
};
inline Plain plain_op(expression::Operation o) {
  using expression::Operation;
  switch (o) {
    case Operation::bit_or:
      return {Op::bit_or};
    case Operation::bit_xor:
      return {Op::bit_xor};
    case Operation::bit_and:
      return {Op::bit_and};
    case Operation::equal:
      return {Op::equal};
    case Operation::not_equal:
      return {Op::not_equal};
    case Operation::less:
      return {Op::less};
    case Operation::less_equal:
      return {Op::less_equal};
    case Operation::greater:
      return {Op::less, true};
    case Operation::greater_equal:
      return {Op::less_equal, true};
    case Operation::shift_left:
      return {Op::shift_left};
    case Operation::shift_right:
      return {Op::shift_right};
    case Operation::add:
      return {Op::add};
    case Operation::subtract:
      return {Op::subtract};
    case Operation::multiply:
      return {Op::multiply};
    case Operation::divide:
      return {Op::divide};
    case Operation::remainder:
      return {Op::remainder};
    case Operation::negate:
      return {Op::negate};
    case Operation::logical_not:
      return {Op::logical_not};
    default:
      return {Op::bit_not};
  }
}

}  // namespace tri::mapfile
