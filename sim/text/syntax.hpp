#pragma once
/// From a text to its tree, with errors that point into it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::expression {

struct SourceText {
  std::string_view what;  ///< how a sentence begins: "law", "map file waves.toml"
  std::string_view text;  ///< must outlive this

  /// Throws ConfigError:
  ///
  ///     law, line 1, column 8: there is no name 'sgma'.
  ///       4*eps*(sgma/r)^12
  ///              ^
  ///     Did you mean 'sigma'?
  ///
  /// Lines and columns count from 1; offset in bytes, at most text.size(). sentence begins in lower case and has no
  /// full stop at its end. A long line is cut around the caret, and bytes that are not printable ASCII show as '?'.
  [[noreturn]] void fail(u32 offset, const std::string& sentence, const std::string& suggestion = "") const;
};

// Statements of expressions as a tree: what the languages of laws (law.hpp) and of map files share.
//
//     name = expression; other = expression
//
// A statement ends with ';' or a line end outside of parentheses; a line that ends with an operator goes on.
// Operators, from the loosest: ?:  ||  &&  |  xor  &  == !=  < <= > >=  << >>  + -  * / %  unary - ! ~  ^ (power, from
// the right). So -x^2 is -(x^2), and x^-2 is allowed. Which of them a language takes, and which functions, it says in
// a Language.
//
// Nothing here recurses deeper than Language::most_levels, and nodes come after their operands, so that a loop over
// the nodes of a statement needs no recursion at all. Any thread may call this.

enum class NodeKind : u8 {
  number,
  name,
  unary,   ///< operands: one
  binary,  ///< operands: left, right
  choose,  ///< condition ? yes : no; operands in this order
  call,    ///< text is the function; operands are its arguments
  index,   ///< text[operand]
};

enum class Operation : u8 {
  none,
  negate,
  logical_not,
  bit_not,
  logical_or,
  logical_and,
  bit_or,
  bit_xor,
  bit_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  shift_left,
  shift_right,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
};
/// As typed: "+". bit_xor and power are both "^".
std::string_view symbol_of(Operation operation);
constexpr u32 bit(Operation operation) { return 1u << static_cast<u32>(operation); }

struct Node {
  NodeKind kind = NodeKind::number;
  Operation operation = Operation::none;
  u32 offset = 0;               ///< of its first character; of the operator's for binary and choose
  std::string_view text;        ///< number, name, call, index: as typed, within the source
  double value = 0;             ///< of a number
  bool is_whole = false;        ///< a number of digits alone (or hexadecimal) that fits into u64
  u64 whole = 0;                ///< its value then
  std::vector<u32> operands{};  ///< nodes, all earlier than this one
};

struct Statement {
  std::string_view name;  ///< empty: left out
  u32 offset = 0;         ///< of its first character
  u32 expression = 0;     ///< offset of what stands behind the '='
  u32 first = 0;          ///< its nodes are first ... root
  u32 root = 0;
};

struct Function {
  std::string_view name;
  u32 arguments = 1;
  std::string_view refusal{};  ///< not empty: a sentence that says why the language does not take it
};

/// What a language takes.
struct Language {
  u32 operations = 0;  ///< bit() of each; with bit_xor, '^' is that, else it is power. '?:' is `choose`
  bool choose = false, index = false;
  bool hexadecimal = false;      ///< 0x10
  bool stars_are_power = false;  ///< a**b is a^b
  bool first_unnamed = false;    ///< the first statement may be an expression alone
  std::span<const Function> functions;
  std::string_view instead;  ///< what to use in place of operators that it lacks: "use step() and select()"
  u32 most_text = 16384, most_levels = 256, most_nodes = 16384, most_statements = 256;
};

struct Syntax {
  std::vector<Node> nodes;
  std::vector<Statement> statements;  ///< at least one
};

/// Throws ConfigError (SourceText::fail) for what is not in the language, for numbers beyond float64, and beyond the
/// limits. Names are not looked up here, except those of functions. The result refers to the characters of the source.
Syntax parse(const SourceText& source, const Language& language);

}  // namespace tri::expression
