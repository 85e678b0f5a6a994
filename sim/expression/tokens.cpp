#include "sim/expression/tokens.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tri::expression {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Longest first.
constexpr std::string_view kSymbols[] = {"**", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "+",
                                         "-",  "*",  "/",  "%",  "^",  "(",  ")",  "[",  "]",  ",",
                                         "?",  ":",  "=",  "<",  ">",  "!",  "~",  "&",  "|"};

class Tokenizer {
 public:
  Tokenizer(const SourceText& source, const Language& language) : source_(source), language_(language) {}

  std::vector<Token> run() {
    while (at_ < text().size()) next();
    add(TokenKind::end_of_text, 0);
    return std::move(tokens_);
  }

 private:
  std::string_view text() const { return source_.text; }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text().size() ? text()[at_ + ahead] : '\0'; }

  void add(TokenKind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.offset = static_cast<u32>(at_);
    token.text = text().substr(at_, length);
    tokens_.push_back(token);
    at_ += length;
  }

  void next() {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '\n') {
      if (open_ == 0 && !goes_on()) {
        add(TokenKind::end_of_statement, 1);
      } else {
        ++at_;
      }
    } else if (c == ';') {
      add(TokenKind::end_of_statement, 1);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (is_letter(c)) {
      std::size_t length = 1;
      while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
      add(TokenKind::name, length);
    } else {
      symbol();
    }
  }

  /// Whether the line so far needs more: it ends with an operator, a comma or '='.
  bool goes_on() const {
    if (tokens_.empty() || tokens_.back().kind != TokenKind::symbol) return false;
    const std::string_view last = tokens_.back().text;
    return last != ")" && last != "]";
  }

  void symbol() {
    for (const std::string_view s : kSymbols) {
      if (text().substr(at_, s.size()) != s) continue;
      if (s == "(" || s == "[") ++open_;
      if ((s == ")" || s == "]") && open_ > 0) --open_;
      return add(TokenKind::symbol, s.size());
    }
    const auto byte = static_cast<unsigned char>(peek());
    const bool printable = byte > ' ' && byte < 0x7F;
    const std::string shown = printable ? fmt::format("'{}'", peek()) : fmt::format("the byte 0x{:02X}", byte);
    source_.fail(static_cast<u32>(at_), byte < 0x80 ? shown + " has no meaning here"
                                                    : shown + " is not ASCII; names have letters, digits and '_'");
  }

  void number() {
    if (language_.hexadecimal && peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    std::size_t length = 0;
    const auto digits = [&] {
      while (is_digit(peek(length))) ++length;
    };
    digits();
    bool whole = true;
    if (peek(length) == '.') whole = false, ++length, digits();
    if (peek(length) == 'e' || peek(length) == 'E') {
      const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) whole = false, length += 1 + sign, digits();
    }
    add(TokenKind::number, length);
    Token& token = tokens_.back();
    const char *first = token.text.data(), *last = first + token.text.size();
    const std::from_chars_result read = std::from_chars(first, last, token.value);
    if (read.ec != std::errc() || read.ptr != last || !std::isfinite(token.value)) {
      source_.fail(token.offset, "this number is beyond the range of float64");
    }
    if (whole) {
      const std::from_chars_result integer = std::from_chars(first, last, token.whole);
      token.is_whole = integer.ec == std::errc() && integer.ptr == last;
    }
  }

  void hexadecimal() {
    std::size_t length = 2;
    while (is_digit(peek(length)) || is_letter(peek(length))) ++length;
    add(TokenKind::number, length);
    Token& token = tokens_.back();
    const char *first = token.text.data() + 2, *last = token.text.data() + token.text.size();
    const std::from_chars_result read = std::from_chars(first, last, token.whole, 16);
    if (first == last || read.ec != std::errc() || read.ptr != last) {
      source_.fail(token.offset, "this is no hexadecimal number of at most 64 bits");
    }
    token.is_whole = true;
    token.value = static_cast<double>(token.whole);
  }

  const SourceText& source_;
  const Language& language_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0, open_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(const SourceText& source, const Language& language) {
  return Tokenizer(source, language).run();
}

}  // namespace tri::expression
