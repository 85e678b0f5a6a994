#pragma once
/// The words of a text: what syntax.cpp reads.

#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/expression/source_text.hpp"
#include "sim/expression/syntax.hpp"

namespace tri::expression {

enum class TokenKind : u8 { number, name, symbol, end_of_statement, end_of_text };

struct Token {
  TokenKind kind = TokenKind::end_of_text;
  u32 offset = 0;
  std::string_view text;
  double value = 0;
  bool is_whole = false;
  u64 whole = 0;
};

/// The last one is end_of_text. A line end is end_of_statement unless a bracket is open or a symbol that needs
/// something behind it stands before it. Throws ConfigError for characters that no word has, and numbers beyond
/// float64.
std::vector<Token> tokens_of(const SourceText& source, const Language& language);

}  // namespace tri::expression
