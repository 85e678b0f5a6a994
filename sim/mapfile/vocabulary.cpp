#include "sim/mapfile/vocabulary.hpp"

#include <algorithm>
#include <utility>

namespace tri::mapfile {
namespace {

using expression::Function;
using expression::Language;
using expression::Operation;

constexpr std::string_view kWhole =
    "maps are computed with integers; the floor of a square root is isqrt(), of a cube root icbrt()";
constexpr Function kFunctions[] = {{"isqrt", 1},    {"icbrt", 1},        {"clz", 1},          {"ctz", 1},
                                   {"popcount", 1}, {"min", 2},          {"max", 2},          {"abs", 1},
                                   {"mulhi", 2},    {"sqrt", 1, kWhole}, {"cbrt", 1, kWhole}, {"floor", 1, kWhole}};
constexpr std::pair<std::string_view, Op> kCalls[] = {
    {"isqrt", Op::isqrt}, {"icbrt", Op::icbrt}, {"clz", Op::clz}, {"ctz", Op::ctz},    {"popcount", Op::popcount},
    {"min", Op::min},     {"max", Op::max},     {"abs", Op::abs}, {"mulhi", Op::mulhi}};

}  // namespace

Language map_language(bool first_unnamed) {
  Language l;
  for (u32 o = 1; o <= static_cast<u32>(Operation::remainder); ++o) l.operations |= 1u << o;
  l.choose = l.index = l.hexadecimal = true;
  l.first_unnamed = first_unnamed;
  l.functions = kFunctions;
  l.most_text = 1u << 20, l.most_statements = 200;
  l.most_levels = 128, l.most_nodes = 2048;  // the compiler recurses as deep as there are nodes
  return l;
}

PlainOp plain_op(Operation o) {
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

Op called_op(std::string_view function) {
  return std::find_if(std::begin(kCalls), std::end(kCalls), [&](const auto& c) { return c.first == function; })->second;
}

}  // namespace tri::mapfile
