/// The canonical form: what becomes the same expression, and what must not.

#include <gtest/gtest.h>

#include <string>

#include "sim/expression/dag.hpp"
#include "sim/expression/derivative.hpp"
#include "sim/expression/law_text.hpp"

namespace tri::expression::test {
namespace {

/// Whether two texts are one expression. s and t are parameters, of any sign.
bool equal(const std::string& x, const std::string& y) {
  const std::string text = "atan2(x, y) + 0*(s + t); x = " + x + "; y = " + y + "; s = 1; t = 2";
  const LawText law = read_law({"law", text}, Over::pairs);
  const Expression& call = law.dag[law.energy];
  EXPECT_EQ(call.form, Form::call) << text;
  return call.arguments.at(0) == call.arguments.at(1);
}

TEST(CanonicalForm, SumsAndProducts) {
  EXPECT_TRUE(equal("r + s", "s + r"));
  EXPECT_TRUE(equal("2*r + s - r", "r + s"));
  EXPECT_TRUE(equal("r*s*t", "t*(s*r)"));
  EXPECT_TRUE(equal("r*s/r", "s*1"));
  EXPECT_TRUE(equal("3*(r + s)", "3*s + 3*r"));
  EXPECT_TRUE(equal("-(r - s)", "s - r"));
  EXPECT_TRUE(equal("r - r + s", "s + 0"));
  EXPECT_TRUE(equal("r + 1 + 2", "r + 3"));
  EXPECT_FALSE(equal("r + s", "r - s"));
  EXPECT_FALSE(equal("r*s", "r*t"));
}

TEST(CanonicalForm, Powers) {
  EXPECT_TRUE(equal("(s/r)^12", "s^12*r^-12"));
  EXPECT_TRUE(equal("(s/r)^12", "s^12/(r^2)^6"));
  EXPECT_TRUE(equal("sqrt(r)^4", "r*r"));
  EXPECT_TRUE(equal("sqrt(r^2)", "r + 0"));
  EXPECT_TRUE(equal("(r^(1/3))^6", "r^2"));
  EXPECT_TRUE(equal("(4*r)^(1/2)", "2*sqrt(r)"));
  EXPECT_TRUE(equal("sqrt(s^2*r^2)", "r*sqrt(s^2)"));
  EXPECT_TRUE(equal("pow(r, s)*pow(mi, s)", "pow(r*mi, s)"));
  EXPECT_TRUE(equal("r^0.1*r^0.2", "r^0.3"));
  EXPECT_TRUE(equal("abs(r)", "r"));
  EXPECT_TRUE(equal("abs(exp(s))", "exp(s)"));
}

/// A parameter may be negative: its roots are not taken apart.
TEST(CanonicalForm, RootsOfParametersStay) {
  EXPECT_FALSE(equal("sqrt(s^2)", "s"));
  EXPECT_FALSE(equal("(s^2)^(3/2)", "s^3"));
  EXPECT_FALSE(equal("sqrt(s*t)", "sqrt(s)*sqrt(t)"));
  EXPECT_FALSE(equal("(-8*s)^(1/3)", "2*s^(1/3)"));
  EXPECT_FALSE(equal("abs(s)", "s"));
  EXPECT_FALSE(equal("sqrt(qi^2)", "qi"));
  EXPECT_FALSE(equal("pow(s^2, t)", "pow(s, 2*t)"));
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

}  // namespace
}  // namespace tri::expression::test
