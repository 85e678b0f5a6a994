/// From a text to its tree: tokens, places of errors, the parser.

#include "sim/text/syntax.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"

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

void SourceText::fail(u32 offset, const std::string& sentence, const std::string& suggestion) const {
  constexpr std::size_t kBefore = 60, kAfter = 40;
  const std::size_t at = std::min<std::size_t>(offset, text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::size_t first = std::max(start, at > kBefore ? at - kBefore : 0);
  const std::size_t last = std::min(end, at + kAfter);

  std::string shown(text.substr(first, last - first));
  for (char& c : shown) {
    if (c == '\t' || c == '\r') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  std::size_t caret = at - first;
  if (first > start) shown = "..." + shown, caret += 3;
  if (last < end) shown += "...";
  while (!shown.empty() && shown.back() == ' ' && shown.size() > caret) shown.pop_back();
  throw ConfigError(fmt::format("{}, line {}, column {}: {}.\n  {}\n  {:>{}}{}{}", what, line, at - start + 1, sentence,
                                shown, '^', caret + 1, suggestion.empty() ? "" : "\n", suggestion));
}

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

namespace {

struct BinaryOperator {
  std::string_view symbol;
  Operation operation;
  int level;  ///< a higher one binds tighter
};
constexpr BinaryOperator kBinary[] = {
    {"||", Operation::logical_or, 1},    {"&&", Operation::logical_and, 2},
    {"|", Operation::bit_or, 3},         {"^", Operation::bit_xor, 4},
    {"&", Operation::bit_and, 5},        {"==", Operation::equal, 6},
    {"!=", Operation::not_equal, 6},     {"<", Operation::less, 7},
    {"<=", Operation::less_equal, 7},    {">", Operation::greater, 7},
    {">=", Operation::greater_equal, 7}, {"<<", Operation::shift_left, 8},
    {">>", Operation::shift_right, 8},   {"+", Operation::add, 9},
    {"-", Operation::subtract, 9},       {"*", Operation::multiply, 10},
    {"/", Operation::divide, 10},        {"%", Operation::remainder, 10},
};

class Parser {
 public:
  Parser(const SourceText& source, const Language& language)
      : source_(source), language_(language), tokens_(tokens_of(source, language)) {}

  Syntax run() {
    skip_ends();
    if (peek().kind == TokenKind::end_of_text) fail(peek(), "the text is empty; an expression is expected");
    while (peek().kind != TokenKind::end_of_text) {
      if (syntax_.statements.size() >= language_.most_statements) {
        fail(peek(), fmt::format("there are more than {} statements", language_.most_statements));
      }
      statement();
      skip_ends();
    }
    return std::move(syntax_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::symbol && peek(ahead).text == symbol;
  }
  void skip_ends() {
    while (peek().kind == TokenKind::end_of_statement) take();
  }
  [[noreturn]] void fail(const Token& token, const std::string& sentence, const std::string& hint = "") const {
    source_.fail(token.offset, sentence, hint);
  }
  bool has(Operation operation) const { return (language_.operations & bit(operation)) != 0; }
  std::string instead() const {
    return language_.instead.empty() ? std::string() : std::string("; ") + std::string(language_.instead);
  }
  static std::string shown(const Token& token) {
    if (token.kind == TokenKind::end_of_text) return "the end of the text";
    if (token.text == "\n") return "the end of the line";
    return fmt::format(
        "'{}'", token.text.size() > 40 ? std::string(token.text.substr(0, 40)) + "..." : std::string(token.text));
  }

  void statement() {
    Statement s;
    s.offset = peek().offset;
    s.first = static_cast<u32>(syntax_.nodes.size());
    if (peek().kind == TokenKind::name && is("=", 1)) {
      s.name = take().text;
      take();
    } else if (!syntax_.statements.empty() || !language_.first_unnamed) {
      fail(peek(), fmt::format("a statement is 'name = expression', and here is {}", shown(peek())),
           peek().kind == TokenKind::symbol
               ? "A line that goes on in the next one ends with an operator, or in parentheses."
               : "");
    }
    s.expression = peek().offset;
    s.root = expression();
    if (peek().kind != TokenKind::end_of_statement && peek().kind != TokenKind::end_of_text) unexpected();
    syntax_.statements.push_back(s);
  }

  /// After an expression comes something that does not belong there.
  [[noreturn]] void unexpected() const {
    const Token& token = peek();
    if (is("=")) fail(token, "'=' defines a name, and what stands before it is not a single name");
    if (is(")") || is("]")) fail(token, fmt::format("{} closes nothing", shown(token)));
    if (is("?")) fail(token, "there is no '?:' here" + instead());
    if (is("**")) fail(token, "there is no operator '**' here" + instead());
    if (token.kind == TokenKind::symbol && token.text != "," && token.text != ":") {
      fail(token, fmt::format("there is no operator {} here", shown(token)) + instead());
    }
    if (token.kind == TokenKind::number || token.kind == TokenKind::name || is("(")) {
      fail(token, fmt::format("an operator is missing before {}", shown(token)));
    }
    fail(token, fmt::format("{} does not belong here", shown(token)));
  }

  u32 add(Node node) {
    if (syntax_.nodes.size() >= language_.most_nodes) {
      source_.fail(node.offset,
                   fmt::format("the text has more than {} numbers, names and operators", language_.most_nodes));
    }
    syntax_.nodes.push_back(std::move(node));
    return static_cast<u32>(syntax_.nodes.size() - 1);
  }
  u32 add(NodeKind kind, Operation operation, u32 offset, std::vector<u32> operands) {
    return add(
        Node{.kind = kind, .operation = operation, .offset = offset, .text = {}, .operands = std::move(operands)});
  }

  /// Counts the levels of the recursion.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.level_ > parser_.language_.most_levels) {
        parser_.fail(parser_.peek(),
                     fmt::format("the expression is nested deeper than {} levels; give parts of it names",
                                 parser_.language_.most_levels));
      }
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  u32 expression() {
    const Level level(*this);
    const u32 condition = binary(1);
    if (!is("?") || !language_.choose) return condition;
    const u32 offset = take().offset;
    const u32 yes = expression();
    if (!is(":")) fail(peek(), fmt::format("':' of '?:' is expected, and here is {}", shown(peek())));
    take();
    const u32 no = expression();
    return add(NodeKind::choose, Operation::none, offset, {condition, yes, no});
  }

  /// The operator that comes next, if the language has it and it binds at least as tight as `least`; else null.
  const BinaryOperator* next_operator(int least) const {
    if (peek().kind != TokenKind::symbol) return nullptr;
    for (const BinaryOperator& o : kBinary) {
      if (o.symbol == peek().text && o.level >= least && has(o.operation)) return &o;
    }
    return nullptr;
  }

  u32 binary(int least) {
    u32 left = unary();
    while (const BinaryOperator* o = next_operator(least)) {
      const u32 offset = take().offset;
      const u32 right = binary(o->level + 1);
      left = add(NodeKind::binary, o->operation, offset, {left, right});
    }
    return left;
  }

  u32 unary() {
    constexpr std::pair<std::string_view, Operation> kUnary[] = {
        {"-", Operation::negate}, {"!", Operation::logical_not}, {"~", Operation::bit_not}};
    for (const auto& [symbol, operation] : kUnary) {
      if (!is(symbol)) continue;
      if (!has(operation)) fail(peek(), fmt::format("there is no operator '{}' here", symbol) + instead());
      const Level level(*this);
      const u32 offset = take().offset;
      const u32 operand = unary();
      return add(NodeKind::unary, operation, offset, {operand});
    }
    return power();
  }

  u32 power() {
    const u32 base = primary();
    const bool caret = is("^") && !has(Operation::bit_xor), stars = is("**") && language_.stars_are_power;
    if ((!caret && !stars) || !has(Operation::power)) return base;
    const Level level(*this);
    const u32 offset = take().offset;
    const u32 exponent = unary();
    return add(NodeKind::binary, Operation::power, offset, {base, exponent});
  }

  u32 primary() {
    const Token token = peek();
    if (token.kind == TokenKind::number) {
      take();
      Node node{.kind = NodeKind::number, .offset = token.offset, .text = token.text, .value = token.value};
      node.is_whole = token.is_whole;
      node.whole = token.whole;
      return add(std::move(node));
    }
    if (token.kind == TokenKind::name) {
      take();
      if (is("(")) return call(token);
      if (is("[") && language_.index) return index(token);
      return add(Node{.kind = NodeKind::name, .offset = token.offset, .text = token.text});
    }
    if (!is("(")) fail(token, fmt::format("a value is expected, and here is {}", shown(token)));
    take();
    const u32 inner = expression();
    close(token, ")");
    return inner;
  }

  /// Takes the bracket that closes `open`.
  void close(const Token& open, std::string_view symbol) {
    if (is(symbol)) return void(take());
    const TokenKind kind = peek().kind;
    if (kind == TokenKind::end_of_text || kind == TokenKind::end_of_statement) {
      fail(open, fmt::format("'{}' is missing for this {}", symbol, shown(open)));
    }
    unexpected();
  }

  u32 call(const Token& name) {
    const Function* function = nullptr;
    std::vector<std::string_view> known;
    for (const Function& f : language_.functions) {
      if (f.name == name.text) function = &f;
      if (f.refusal.empty()) known.push_back(f.name);
    }
    if (function == nullptr) {
      const std::string hint = did_you_mean(name.text, known);
      fail(name, fmt::format("there is no function {}", shown(name)), hint.empty() ? hint : hint.substr(1));
    }
    if (!function->refusal.empty()) fail(name, std::string(function->refusal));
    const Token open = take();
    Node node{.kind = NodeKind::call, .offset = name.offset, .text = name.text};
    if (!is(")")) node.operands.push_back(expression());
    while (is(",")) {
      take();
      node.operands.push_back(expression());
    }
    close(open, ")");
    if (node.operands.size() != function->arguments) {
      fail(name, fmt::format("{}() takes {} argument{}, and here {} {}", name.text, function->arguments,
                             function->arguments == 1 ? "" : "s", node.operands.size() == 1 ? "is" : "are",
                             node.operands.size()));
    }
    return add(std::move(node));
  }

  u32 index(const Token& name) {
    const Token open = take();
    const u32 inner = expression();
    close(open, "]");
    return add(Node{.kind = NodeKind::index, .offset = name.offset, .text = name.text, .operands = {inner}});
  }

  const SourceText& source_;
  const Language& language_;
  std::vector<Token> tokens_;
  Syntax syntax_;
  std::size_t at_ = 0;
  u32 level_ = 0;
};

}  // namespace

std::string_view symbol_of(Operation operation) {
  constexpr std::pair<Operation, std::string_view> kOthers[] = {
      {Operation::negate, "-"}, {Operation::logical_not, "!"}, {Operation::bit_not, "~"}, {Operation::power, "^"}};
  for (const auto& [other, symbol] : kOthers) {
    if (other == operation) return symbol;
  }
  for (const BinaryOperator& o : kBinary) {
    if (o.operation == operation) return o.symbol;
  }
  return "";
}

Syntax parse(const SourceText& source, const Language& language) {
  if (source.text.size() > language.most_text) {
    source.fail(language.most_text, fmt::format("the text is longer than {} characters", language.most_text));
  }
  return Parser(source, language).run();
}

}  // namespace tri::expression
