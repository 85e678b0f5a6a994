/// The tree of a text: which operator binds what, in the language of laws and in one of whole numbers.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "sim/base/error.hpp"
#include "sim/expression/law_text.hpp"
#include "sim/expression/syntax.hpp"
#include "tests/support/error_messages.hpp"

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

}  // namespace
}  // namespace tri::expression::test
