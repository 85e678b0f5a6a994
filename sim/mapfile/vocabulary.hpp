#pragma once
/// The words of map files: which operators and functions of sim/expression they have, and the instruction of each.
/// Internal to the compiler.

#include <string_view>

#include "sim/expression/syntax.hpp"
#include "sim/mapfile/program.hpp"

namespace tri::mapfile {

/// first_unnamed: the text is one expression.
expression::Language map_language(bool first_unnamed);

struct PlainOp {
  Op op;
  bool swapped = false;  ///< operands
};
/// Of an operator with one instruction, so not of '&&' and '||'.
PlainOp plain_op(expression::Operation operation);
/// Of a function of the language.
Op called_op(std::string_view function);

}  // namespace tri::mapfile
