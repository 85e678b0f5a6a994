/// Texts of laws: trees, graphs, messages, hostile input.
///
/// The tree of a text: which operator binds what, in the language of laws and in one of whole numbers.

#include <ctime>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/text/dag.hpp"
#include "sim/text/law.hpp"
#include "sim/text/law_maker.hpp"
#include "sim/text/syntax.hpp"
#include "tests/support/expect.hpp"

namespace tri::expression::test {
namespace {

using tri::test::message_of;

/// The tree with every bracket.
std::string shown(const Syntax& syntax, u32 id) {
  const Node& n = syntax.nodes[id];
  const auto operand = [&](std::size_t k) { return shown(syntax, n.operands[k]); };
  switch (n.kind) {
    case NodeKind::number:
    case NodeKind::name:
      return std::string(n.text);
    case NodeKind::unary:
      return fmt::format("({}{})", symbol_of(n.operation), operand(0));
    case NodeKind::binary:
      return fmt::format("({}{}{})", operand(0), symbol_of(n.operation), operand(1));
    case NodeKind::choose:
      return fmt::format("({}?{}:{})", operand(0), operand(1), operand(2));
    case NodeKind::index:
      return fmt::format("{}[{}]", n.text, operand(0));
    case NodeKind::call:
      break;
  }
  std::string arguments;
  for (std::size_t k = 0; k < n.operands.size(); ++k) arguments += (k == 0 ? "" : ", ") + operand(k);
  return fmt::format("{}({})", n.text, arguments);
}

std::string all_shown(const std::string& text, const Language& language) {
  const Syntax syntax = parse({"text", text}, language);
  std::string all;
  for (const Statement& s : syntax.statements) {
    all += fmt::format("{}{}{}; ", s.name, s.name.empty() ? "" : "=", shown(syntax, s.root));
  }
  return all.substr(0, all.size() - 2);
}

Language whole_numbers() {
  static const Function functions[] = {{"min", 2}, {"clock", 0}};
  Language l;
  for (u32 o = static_cast<u32>(Operation::negate); o <= static_cast<u32>(Operation::remainder); ++o) {
    l.operations |= bit(static_cast<Operation>(o));
  }
  l.choose = l.index = l.hexadecimal = true;
  l.functions = functions;
  return l;
}

TEST(Syntax, OperatorsOfLaws) {
  const auto law = [](const char* text) { return all_shown(text, law_language()); };
  EXPECT_EQ(law("-x^2"), "(-(x^2))");
  EXPECT_EQ(law("2^-x^y"), "(2^(-(x^y)))");
  EXPECT_EQ(law("a**b**c"), "(a^(b^c))");
  EXPECT_EQ(law("a - b - c*d/e"), "((a-b)-((c*d)/e))");
  EXPECT_EQ(law("a*-b + -(c)"), "((a*(-b))+(-c))");
  EXPECT_EQ(law("min(a, b + 1)^2; x = 3; y = x"), "(min(a, (b+1))^2); x=3; y=x");
}

TEST(Syntax, NamesAreOfLettersAndDigits) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  for (const char letter : letters) {
    const std::string name(1, letter);
    EXPECT_EQ(all_shown(name + "*2", law_language()), "(" + name + "*2)");
  }
  EXPECT_EQ(all_shown(letters + "0123456789", law_language()), letters + "0123456789");
}

TEST(Syntax, OperatorsOfWholeNumbers) {
  const auto whole = [](const char* text) { return all_shown(text, whole_numbers()); };
  EXPECT_EQ(whole("x = a | b ^ c & d == e < f << g + h * i"), "x=(a|(b^(c&(d==(e<(f<<(g+(h*i))))))))");
  EXPECT_EQ(whole("x = a * b % c + d >> e >= f != g & h ^ i | j && k || l"),
            "x=(((((((((((a*b)%c)+d)>>e)>=f)!=g)&h)^i)|j)&&k)||l)");
  EXPECT_EQ(whole("x = a ? b : c ? d : e"), "x=(a?b:(c?d:e))");
  EXPECT_EQ(whole("x = !~-t[i + 1]"), "x=(!(~(-t[(i+1)])))");
  EXPECT_EQ(whole("x = clock() + min(1, 2)"), "x=(clock()+min(1, 2))");
}

TEST(Syntax, WholeNumbersAreExact) {
  const Syntax syntax =
      parse({"text", "x = 18446744073709551615 + 0xFFFFFFFFffffffff + 9007199254740993"}, whole_numbers());
  EXPECT_TRUE(syntax.nodes[0].is_whole && syntax.nodes[1].is_whole && syntax.nodes[3].is_whole);
  EXPECT_EQ(syntax.nodes[0].whole, ~u64{0});
  EXPECT_EQ(syntax.nodes[1].whole, ~u64{0});
  EXPECT_EQ(syntax.nodes[3].whole, 9007199254740993u);
  const Syntax others = parse({"text", "x = 18446744073709551616 + 1.0 + 1e3"}, whole_numbers());
  EXPECT_FALSE(others.nodes[0].is_whole || others.nodes[1].is_whole || others.nodes[3].is_whole);
  EXPECT_EQ(others.nodes[0].value, 18446744073709551616.0);
  EXPECT_NE(message_of([] { parse({"text", "x = 0x1FFFFFFFFFFFFFFFF"}, whole_numbers()); }), "");
  EXPECT_NE(message_of([] { parse({"text", "x = 0x"}, whole_numbers()); }), "");
}

TEST(Syntax, StatementsEndWithLines) {
  const auto law = [](const char* text) { return all_shown(text, law_language()); };
  EXPECT_EQ(law("\n\nr +\n r\n\nx = (1\n + 2)\r\ny =\n3;;z = 4\n"), "(r+r); x=(1+2); y=3; z=4");
  EXPECT_EQ(law("min(r,\n2)\n"), "min(r, 2)");
}

TEST(Syntax, NodesComeAfterTheirOperands) {
  const Syntax syntax = parse({"law", "a*(b + c^d) - min(e, -f)"}, law_language());
  for (u32 n = 0; n < syntax.nodes.size(); ++n) {
    for (const u32 o : syntax.nodes[n].operands) EXPECT_LT(o, n);
  }
  EXPECT_EQ(syntax.statements[0].first, 0u);
  EXPECT_EQ(syntax.statements[0].root, syntax.nodes.size() - 1);
}

TEST(Syntax, ALanguageHasOnlyItsOperators) {
  for (const char* text : {"a < b", "a && b", "a % b", "!a", "a ? b : c", "a == b", "t[1]", "0x10"}) {
    EXPECT_NE(message_of<ConfigError>([&] { parse({"law", text}, law_language()); }), "") << text;
  }
  for (const char* text : {"x = a ** b", "a", "x = (a", "x = a]"}) {
    EXPECT_NE(message_of<ConfigError>([&] { parse({"text", text}, whole_numbers()); }), "") << text;
  }
}

// The canonical form: what becomes the same expression, and what must not.

/// Whether two texts are one expression. s and t are parameters, of any sign.
bool equal(const std::string& x, const std::string& y) {
  const std::string text = "atan2(x, y) + 0*(s + t); x = " + x + "; y = " + y + "; s = 1; t = 2";
  const LawText law = read_law({"law", text}, Over::pairs);
  const Expression& call = law.dag[law.energy];
  EXPECT_EQ(call.form, Form::call) << text;
  return call.arguments.at(0) == call.arguments.at(1);
}

using TextPairs = std::initializer_list<std::pair<const char*, const char*>>;

TEST(CanonicalForm, SumsProductsAndPowers) {
  const TextPairs same = {{"r + s", "s + r"},
                          {"2*r + s - r", "r + s"},
                          {"r*s*t", "t*(s*r)"},
                          {"r*s/r", "s*1"},
                          {"3*(r + s)", "3*s + 3*r"},
                          {"-(r - s)", "s - r"},
                          {"r - r + s", "s + 0"},
                          {"r + 1 + 2", "r + 3"},
                          {"(s/r)^12", "s^12*r^-12"},
                          {"(s/r)^12", "s^12/(r^2)^6"},
                          {"sqrt(r)^4", "r*r"},
                          {"sqrt(r^2)", "r + 0"},
                          {"(r^(1/3))^6", "r^2"},
                          {"(4*r)^(1/2)", "2*sqrt(r)"},
                          {"sqrt(s^2*r^2)", "r*sqrt(s^2)"},
                          {"pow(r, s)*pow(mi, s)", "pow(r*mi, s)"},
                          {"r^0.1*r^0.2", "r^0.3"},
                          {"abs(r)", "r"},
                          {"abs(exp(s))", "exp(s)"}};
  for (const auto& [x, y] : same) EXPECT_TRUE(equal(x, y)) << x << " and " << y;
}

/// A parameter may be negative: its roots are not taken apart.
TEST(CanonicalForm, WhatDiffersAndRootsOfParametersStay) {
  const TextPairs different = {{"r + s", "r - s"},
                               {"r*s", "r*t"},
                               {"sqrt(s^2)", "s"},
                               {"(s^2)^(3/2)", "s^3"},
                               {"sqrt(s*t)", "sqrt(s)*sqrt(t)"},
                               {"(-8*s)^(1/3)", "2*s^(1/3)"},
                               {"abs(s)", "s"},
                               {"sqrt(qi^2)", "qi"},
                               {"pow(s^2, t)", "pow(s, 2*t)"}};
  for (const auto& [x, y] : different) EXPECT_FALSE(equal(x, y)) << x << " and " << y;
}

TEST(CanonicalForm, ExpressionsAreKeptOnce) {
  Dag dag;
  const Id x = dag.symbol(Symbol::q, true), y = dag.symbol(Symbol::qi, false);
  const Id one = dag.add(dag.multiply(x, y), dag.call(Op::sin, x));
  const std::size_t size = dag.size();
  EXPECT_EQ(dag.add(dag.call(Op::sin, x), dag.multiply(y, x)), one);
  EXPECT_EQ(dag.size(), size);
  EXPECT_EQ(dag[one].depends, symbol_bit(Symbol::q) | symbol_bit(Symbol::qi));
  EXPECT_EQ(dag.substitute(one, Symbol::qi, dag.number(0)), dag.call(Op::sin, x));
  EXPECT_EQ(dag.substitute(dag.power(x, dag.number(0.5)), Symbol::q, dag.number(9)), dag.number(3));
}

TEST(Derivative, OfPiecesAndJumps) {
  Dag dag;
  const Id x = dag.symbol(Symbol::q, true), y = dag.symbol(Symbol::qi, false);
  const auto slope = [&](Id e) { return derivative(dag, e, Symbol::q); };
  for (const Op op : {Op::step, Op::floor, Op::ceil}) EXPECT_TRUE(dag.is_number(slope(dag.call(op, x)), 0));
  EXPECT_EQ(slope(dag.call(Op::select, y, dag.power(x, Rational{2, 1}), dag.number(1))),
            dag.call(Op::select, y, dag.scale(2, x), dag.number(0)));
  EXPECT_EQ(slope(dag.power(x, Rational{-3, 2})), dag.scale(-1.5, dag.power(x, Rational{-5, 2})));
  EXPECT_EQ(slope(dag.call(Op::log, x)), dag.power(x, Rational{-1, 1}));
  EXPECT_TRUE(dag.is_number(slope(dag.call(Op::sin, y)), 0));
}

// What a wrong text is answered with, to the letter: tests/data/law_messages.txt. A case there is a line "### p|TEXT"
// (of a pair) or "### t|TEXT" (of a triple), with \n for a line end, and the answer below it.

struct Case {
  std::string text, message;
  Over over = Over::pairs;
};

std::vector<Case> read_cases() {
  std::ifstream file(TRI_TEST_DATA "/law_messages.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("### ", 0) == 0) {
      Case c{line.substr(6), "", line[4] == 't' ? Over::triples : Over::pairs};
      if (const std::size_t at = c.text.find("\\n"); at != std::string::npos) c.text.replace(at, 2, "\n");
      cases.push_back(c);
    } else {
      cases.back().message += (cases.back().message.empty() ? "" : "\n") + line;
    }
  }
  return cases;
}

TEST(Messages, OfWrongTexts) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 50u);
  for (const Case& c : cases) {
    EXPECT_EQ(tri::test::message_of<ConfigError>([&] { Law::make(c.text, c.over); }), c.message) << c.text;
  }
}

// Texts that are made to break a parser: each ends soon, in a ConfigError with a message or in a law.

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += part;
  return text;
}

#if defined(__SANITIZE_THREAD__)
constexpr double kMaxSeconds = 60;  // it takes fifteen times as long
#else
constexpr double kMaxSeconds = 10;
#endif

std::string refusal_of(const std::string& text) {
  const std::clock_t start = std::clock();  // of this process: other work on the machine does not count
  const std::string message = tri::test::message_of<ConfigError>([&] { Law::make(text, Over::pairs); });
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMaxSeconds) << text.substr(0, 60);
  EXPECT_LT(message.size(), 1000u);
  return message;
}

void expect_refused(const std::string& text, const std::string& part) {
  const std::string message = refusal_of(text);
  EXPECT_NE(message.find(part), std::string::npos) << text.substr(0, 60) << "\n" << message;
}

TEST(HostileTexts, TooLong) {
  expect_refused(repeated("(", 100000), "longer than 16384 characters");
  expect_refused(repeated("r+", 50000) + "r", "longer than 16384 characters");
  expect_refused(std::string(1u << 24, '-'), "longer than 16384 characters");
}

TEST(HostileTexts, TooDeep) {
  for (const std::string part : {"(", "-", "exp(", "r^", "r^-", "min(r,", "1+(2*(", "pow(("}) {
    expect_refused(repeated(part, 16000 / part.size()), "nested deeper than 256 levels");
  }
  // By names, which no bracket shows.
  std::string chain = "a0";
  for (int k = 0; k < 250; ++k) chain += fmt::format(";a{} = exp(exp(exp(-a{})))", k, k + 1);
  expect_refused(chain + ";a250=r", "too large");
}

TEST(HostileTexts, TooMany) {
  std::string terms = "r";
  for (int k = 2; terms.size() < 16000; ++k) terms += fmt::format("+sin({}*r)", k);
  expect_refused(terms, "more than 2048 instructions");
  std::string doubled = "a0";
  for (int k = 0; k < 100; ++k) doubled += fmt::format("\na{0} = a{1}*sin(a{1})*cos(a{1}) + a{1}", k, k + 1);
  expect_refused(doubled + "\na100 = r", "");
  std::string statements = "r";
  for (int k = 0; k < 1000; ++k) statements += fmt::format(";a{} = r", k);
  expect_refused(statements, "more than 256 statements");
  std::string parameters = "r";
  for (int k = 0; k < 100; ++k) parameters += fmt::format(";a{} = 2", k);
  expect_refused(parameters, "more than 32 parameters");
  std::string uniforms = "s";
  for (int k = 1; k < 300; ++k) uniforms += fmt::format("+ sin({}*r*s)", k);
  expect_refused(uniforms + "; s = 1", "constants that follow from its parameters");
}

/// Sums that would be multiplied out, quotients of quotients: nothing here grows with 2^n.
TEST(HostileTexts, ThatGrowWhenMultipliedOut) {
  std::string product = "1/r";
  for (int k = 0; k < 60; ++k) product += fmt::format("*(r + {})", k);
  refusal_of(product);
  std::string squares = "r";
  for (int k = 0; k < 60; ++k) squares = fmt::format("({})^2+1/r", squares);
  refusal_of(squares);
  std::string shared = "a0";
  for (int k = 0; k < 40; ++k) shared += fmt::format("; a{0} = (a{1} + 1)*a{1}", k, k + 1);
  refusal_of(shared + "; a40 = r");
  std::string quotients = "r";
  for (int k = 0; k < 80; ++k) quotients = fmt::format("1/(1+{})", quotients);
  refusal_of(quotients);
}

TEST(HostileTexts, Numbers) {
  for (const char* text : {"r^1e9",
                           "r^-1e9",
                           "r^2147483648",
                           "r^-2147483648",
                           "r^4294967296",
                           "r^1e308",
                           "pow(r, 1e300)",
                           "((r^9999)^9999)^9999",
                           "r^9999*r^9999*r^9999",
                           "1/0*r",
                           "r/0",
                           "0/0 + r",
                           "1e308*10*r",
                           "1e999*r",
                           "r^(1/0)",
                           "2^1e9*r",
                           "log(0)*r",
                           "recip(0)*r",
                           "r*0",
                           "(-8)^(1/3)*r",
                           "exp(1e9)*r"}) {
    EXPECT_NE(refusal_of(text), "") << text;
  }
  expect_refused("r + 1" + std::string(400, '0'), "beyond the range of float64");
  expect_refused("r + 0." + std::string(400, '0') + "1", "beyond the range of float64");
  EXPECT_EQ(refusal_of("r*1." + std::string(4000, '0') + "1"), "");
}

TEST(HostileTexts, Bytes) {
  expect_refused("", "the text is empty");
  expect_refused(" \t\r\n ;;\n", "the text is empty");
  expect_refused(std::string("r\0+ 1", 5), "byte 0x00");
  expect_refused("r + \xCF\x83", "byte 0xCF is not ASCII");
  expect_refused("\xFF\xFE", "byte 0xFF");
  expect_refused("r \x1B[31m", "byte 0x1B");
  expect_refused("r`id`", "'`'");
  for (int byte = 0; byte < 256; ++byte) {
    std::string text = "1/r; s = 1";
    text[4] = static_cast<char>(byte);
    const std::string message = refusal_of(text);
    for (const char c : message) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << byte;
  }
}

TEST(HostileTexts, EveryPrefixOfALaw) {
  const std::string text =
      "energy = 4*eps*((s/r)^12 - (s/r)^6) + select(step(r - 1), qi*qj, 0)/r; eps = 1; s = 1; cutoff = 2";
  for (std::size_t k = 0; k < text.size(); ++k) {
    refusal_of(text.substr(0, k));
    std::string damaged = text;
    damaged.erase(k, 1);
    refusal_of(damaged);
  }
}

}  // namespace
}  // namespace tri::expression::test
