#pragma once
/// From the texts of a map file to programs.
///
///     i = (isqrt(8*w + 1) - 1) / 2      # statements of sim/expression/syntax.hpp, on i64
///     repeat m up to 64 {               # on a line of its own; the bound is a literal
///       k = k + (m >> k != 0)
///     }                                 # on a line of its own
///     idle = i >= m                     # the position has no tile, and nothing behind this is evaluated
///
/// Operators: ?: || && | ^ & == != < <= > >= << >> + - * / % unary - ! ~, with C's meaning on i64 and '^' as exclusive
/// or; of ?:, && and || only what is needed is evaluated. Functions: isqrt, icbrt, clz, ctz, popcount, min, max, abs,
/// mulhi. TABLE[index] reads a table of the file. A name may be assigned again; inputs may not. Names that are first
/// assigned within a repeat end with it.
///
/// Everything throws ConfigError with line, column and caret (sim/expression/source_text.hpp). Pure functions.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/mapfile/program.hpp"

namespace tri::mapfile {

struct FileText {
  std::string what;  ///< how a sentence about it begins: "map file waves.toml"
  std::string text;  ///< with empty lines for what stands before it in the file
};

/// What the statements may read and must assign.
struct Interface {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;  ///< each must be assigned
  bool may_idle = false;             ///< `idle = ...` is allowed
  bool all_are_outputs = false;      ///< every name is an output, in the order of their first assignments
  std::shared_ptr<const std::vector<Table>> tables;
};

struct Compiled {
  Program program;
  std::vector<std::string> outputs;  ///< names, in the order of program.outputs
};

Compiled compile(const FileText& text, const Interface& interface);

/// One expression without a name.
Program compile_expression(const FileText& text, const Interface& interface);

}  // namespace tri::mapfile
