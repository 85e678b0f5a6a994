#include "sim/expression/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/suggest.hpp"
#include "sim/expression/tokens.hpp"

namespace tri::expression {
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
  switch (operation) {
    case Operation::none:
      return "";
    case Operation::negate:
      return "-";
    case Operation::logical_not:
      return "!";
    case Operation::bit_not:
      return "~";
    case Operation::power:
      return "^";
    default:
      break;
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
