/// A law's parameters, cut-off, softening, masses, columns, and its text with other values.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "tests/sim/expression/law_probe.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::expression::test {
namespace {

using tri::test::message_of;

bool same(const Program& x, const Program& y) {
  bool equal = x.code.size() == y.code.size() && x.numbers == y.numbers && x.outputs == y.outputs;
  for (std::size_t k = 0; equal && k < x.code.size(); ++k) {
    const Instruction &i = x.code[k], &j = y.code[k];
    equal = i.op == j.op && i.a == j.a && i.b == j.b && i.c == j.c;
  }
  return equal;
}

TEST(Law, Parameters) {
  const TypedLaw typed = typed_law("energy = k*(r - l)^2\nl = -1.5e0\n; k = 3;", Over::pairs);
  const Law& law = *typed.law;
  ASSERT_EQ(law.parameters().size(), 2u);
  EXPECT_EQ(law.parameters()[0].name, "l");
  EXPECT_EQ(law.parameters()[0].value, -1.5);
  EXPECT_EQ(law.find("k"), 1u);
  EXPECT_EQ(law.find("m"), 2u);
  EXPECT_EQ(typed.values, (std::vector<double>{-1.5, 3}));
  EXPECT_FALSE(law.has_cutoff());
  EXPECT_EQ(law.cutoff(typed.values), 0);
  EXPECT_EQ(law.over(), Over::pairs);
}

TEST(Law, Columns) {
  const auto uses = [](const char* text) { return Law::make(text, Over::pairs)->uses(); };
  EXPECT_EQ(uses("1/r"), 0u);
  EXPECT_EQ(uses("mi*mj/r"), 1u);
  EXPECT_EQ(uses("(ri + rj)/r"), 2u);
  EXPECT_EQ(uses("qi*qj/r + mi + mj"), 9u);
  EXPECT_EQ(uses("(mi - mi)/r + 1/r"), 0u);
}

TEST(Law, WeighsMasses) {
  const auto weighs = [](const char* text) { return Law::make(text, Over::pairs)->weighs_masses(); };
  EXPECT_TRUE(weighs("-mi*mj/r"));
  EXPECT_TRUE(weighs("mi*(1/r + exp(-r))*mj"));
  EXPECT_TRUE(weighs("mi*mj/r - 2*mj*mi*r^2"));
  EXPECT_TRUE(weighs("g*m/r; m = mi*mj; g = -1; cutoff = 3; shifted = 1"));
  EXPECT_FALSE(weighs("mi*mj/r + 1/r"));
  EXPECT_FALSE(weighs("mi*mj/r + mi + mj"));
  EXPECT_FALSE(weighs("mi^2*mj^2/r"));
  EXPECT_FALSE(weighs("mi*mj/(mi + mj)/r"));
  EXPECT_FALSE(weighs("sqrt(mi*mj)/r"));
  EXPECT_FALSE(weighs("1/r"));
}

/// Gravity as it is typed is what the kernels of gravity compute.
TEST(Law, GravityIsAReciprocalRoot) {
  const TypedLaw typed = typed_law("-G*mi*mj/sqrt(r^2 + eps^2); G = 2.5; eps = 0.5", Over::pairs);
  const std::vector<double> uniforms = typed.law->uniforms(typed.values);
  EXPECT_EQ(uniforms[0], 2.5);
  EXPECT_EQ(uniforms[1], 0.25);
  const std::vector<double> inputs{2, 7, 8, 1, 1, 1, 1};
  EXPECT_EQ(typed.law->strength().run<double>(inputs, uniforms)[0], 1 / (1.5 * 1.5 * 1.5));
}

TEST(Law, UniformZeroIsOneWithoutMasses) {
  const TypedLaw typed = typed_law("-G/r; G = 2.5", Over::pairs);
  EXPECT_EQ(typed.law->uniforms(typed.values)[0], 1);
  EXPECT_EQ(typed.law->uniform_count(), typed.law->uniforms(typed.values).size());
}

TEST(Law, Cutoff) {
  TypedLaw typed = typed_law("qi*qj/r; cutoff = 2", Over::pairs);
  EXPECT_TRUE(typed.law->has_cutoff());
  EXPECT_EQ(typed.law->cutoff(typed.values), 2);
  EXPECT_EQ(typed.law->at(std::nextafter(2.0, 0), typed.values).energy, 1 / std::nextafter(2.0, 0));
  EXPECT_EQ(typed.law->at(2, typed.values).energy, 0);
  EXPECT_EQ(typed.law->at(2, typed.values).force, 0);
  const std::vector<float> edge = outputs<float>(typed, {4, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(edge, (std::vector<float>{0, 0}));
  typed.values[0] = 0;  // none
  EXPECT_EQ(typed.law->at(1e10, typed.values).energy, 1e-10);
  // The largest number is not cut by itself in either type, and what is cut is 0 even where it is not finite.
  EXPECT_EQ(outputs<float>(typed, {1e36, 1, 1, 1, 1, 1, 1})[1], 1e-18f);
  const TypedLaw edge_law = typed_law("log(2 - r); cutoff = 2", Over::pairs);
  EXPECT_EQ(edge_law.law->at(3, edge_law.values).energy, 0);
  EXPECT_EQ(edge_law.law->at(2, edge_law.values).force, 0);
}

TEST(Law, ShiftedAtTheCutoff) {
  TypedLaw typed =
      typed_law("qi*qj*exp(-qi*qj*r)/r + mi*mj/r^2; cutoff = 2; shifted = 1; softening = 0.5", Over::pairs);
  const auto energy = [](double r) {
    const double d = std::sqrt(r * r + 0.25);
    return 6.25 * std::exp(-6.25 * d) / d + 9 / (d * d);
  };
  const auto at = [&](double r) { return typed.law->at(r, typed.values, 3, 1, 2.5); };
  EXPECT_NEAR(at(1.2).energy, energy(1.2) - energy(2), 1e-14);
  EXPECT_NEAR(at(std::nextafter(2.0, 0)).energy, 0, 1e-14);
  const double force = at(1.2).force;
  typed.values[typed.law->find("shifted")] = 0;
  EXPECT_NEAR(at(1.2).energy, energy(1.2), 1e-14);
  EXPECT_EQ(at(1.2).force, force);
  typed.values[typed.law->find("shifted")] = 1;
  typed.values[typed.law->find("cutoff")] = 0;  // nothing is subtracted either
  EXPECT_NEAR(at(1.2).energy, energy(1.2), 1e-14);
  EXPECT_NEAR(at(50).energy, energy(50), 1e-14);
}

TEST(Law, SofteningIsPartOfTheDistance) {
  TypedLaw typed = typed_law("r^2 + 1/r; softening = 2", Over::pairs);
  EXPECT_NEAR(typed.law->at(1.5, typed.values).energy, 6.25 + 1 / 2.5, 1e-14);
  EXPECT_NEAR(typed.law->at(1.5, typed.values).force, -3 + 1.5 / (2.5 * 2.5 * 2.5), 1e-14);
  EXPECT_TRUE(std::isfinite(typed.law->at(0, typed.values).energy));
  typed.values[0] = 0;
  EXPECT_NEAR(typed.law->at(1.5, typed.values).energy, 2.25 + 1 / 1.5, 1e-14);
  const TypedLaw triple = typed_law("1/(a*b*c); softening = 2", Over::triples);
  EXPECT_NEAR(triple.law->at(1.5, triple.values).energy, std::pow(2.5, -3), 1e-14);
  EXPECT_NEAR(triple.law->at(1.5, triple.values).force, 3 * 1.5 * std::pow(2.5, -5), 1e-14);
}

TEST(Law, ValuesOutOfRange) {
  const auto law = Law::make("s/r/(s - t); s = 3; t = 1; cutoff = 1; softening = 0; shifted = 0", Over::pairs);
  const auto message = [&](std::vector<double> values) {
    return message_of<ConfigError>([&] { law->uniforms(values); });
  };
  EXPECT_EQ(message({3, 1, 1, 0, 0}), "");
  EXPECT_EQ(message({3, 1, -1, 0, 0}), "law: cutoff = -1 is below 0.");
  EXPECT_EQ(message({3, 1, 1, -0.5, 0}), "law: softening = -0.5 is below 0.");
  EXPECT_EQ(message({3, 1, 1, 0, 2}), "law: shifted = 2 is neither 0 nor 1.");
  EXPECT_EQ(message({3, std::numeric_limits<double>::infinity(), 1, 0, 0}), "law: t = inf is not finite.");
  EXPECT_EQ(message({std::nan(""), 1, 1, 0, 0}), "law: s = nan is not finite.");
  EXPECT_EQ(message({3, 3, 1, 0, 0}).find("law: a constant that follows from its parameters is "), 0u);
}

TEST(TypedLaw, TextWithOtherValues) {
  const std::string text = "energy = 4*eps*((s/r)^12 - (s/r)^6);\n  eps = 1.50 ; s =-1e0\n;cutoff=2.5";
  TypedLaw typed = typed_law(text, Over::pairs);
  EXPECT_TRUE(typed);
  EXPECT_FALSE(TypedLaw{});
  EXPECT_EQ(typed.text(), text);
  typed.values = {0.1, 1.0 / 3, 1e-30};
  EXPECT_EQ(typed.text(), "energy = 4*eps*((s/r)^12 - (s/r)^6);\n  eps = 0.1 ; s =0.3333333333333333\n;cutoff=1e-30");
  for (const double value : {-2.0, 1e300, 5e-300, 123456789.123456789, -0.1, 1e22}) {
    typed.values[0] = value;
    const TypedLaw again = typed_law(typed.text(), Over::pairs);
    EXPECT_EQ(again.values, typed.values);
    EXPECT_EQ(again.text(), typed.text());
    EXPECT_TRUE(same(again.law->strength(), typed.law->strength()));
    EXPECT_TRUE(same(again.law->strength_and_energy(), typed.law->strength_and_energy()));
    EXPECT_EQ(again.law->uniforms(again.values), typed.law->uniforms(typed.values));
  }
}

/// Looking at the energy changes no bit of the forces.
TEST(Law, StrengthIsTheSameWithTheEnergy) {
  for (const char* text :
       {"-mi*mj/r; softening = 0.1", "4*(r^-12 - r^-6) + qi*qj/r", "exp(-r)*sin(r)/r", "r^3 + 1/sqrt(r)"}) {
    const TypedLaw typed = typed_law(text, Over::pairs);
    const Program &strength = typed.law->strength(), &both = typed.law->strength_and_energy();
    ASSERT_LE(strength.code.size(), both.code.size());
    EXPECT_EQ(strength.outputs[0], both.outputs[0]);
    Program head = both;
    head.code.resize(strength.code.size());
    head.numbers = strength.numbers;
    head.outputs = strength.outputs;
    EXPECT_TRUE(same(head, strength)) << text;
  }
}

TEST(LawCheck, FindsWhatIsWrong) {
  const LawCheck check = Law::make("mi*mj/r^2 + exp(-r)", Over::pairs)->check();
  EXPECT_GT(check.samples, 100u);
  EXPECT_LT(check.asymmetry, 1e-15);
  EXPECT_LT(check.derivative, 1e-8);
  EXPECT_GT(check.derivative, 0);
  // Finite at some distances alone; lengths in metres.
  EXPECT_GT(Law::make("log(1 - (r/l)^2); l = 1e-10", Over::pairs)->check().samples, 10u);
  EXPECT_NE(message_of([] { Law::make("mi^2*mj/r", Over::pairs); }).find("change places"), std::string::npos);
  EXPECT_NE(message_of([] { Law::make("(qi - qj)/r", Over::pairs); }).find("change places"), std::string::npos);
  EXPECT_EQ(message_of([] { Law::make("abs(qi - qj)/r", Over::pairs); }), "");
  EXPECT_NE(message_of([] { Law::make("a*b + b*c + 2*c*a", Over::triples); }).find("change places"), std::string::npos);
  EXPECT_EQ(message_of([] { Law::make("a*b + b*c + c*a", Over::triples); }), "");
}

/// Natural forms of symmetric energies, some of which need an expansion or a common denominator.
TEST(LawCheck, SymmetryIsProved) {
  for (const char* text : {"sqrt(mi*mj)*r",
                           "(ri + rj)/2*r",
                           "mi*mj/(mi + mj)/r",
                           "abs(ri - rj)*r",
                           "max(ri, rj)/r",
                           "(mi - mj)^2/r",
                           "(mi^2 + mj^2)*r",
                           "(mi*qj + mj*qi)/r",
                           "exp(-(ri - rj)^2)/r",
                           "(mi - mj)*sin(qi - qj)*r",
                           "log(mi/mj)^2*r",
                           "cosh(log(mi/mj))*r",
                           "((mi/mj)^p + (mj/mi)^p)*r; p = 1.37",
                           "(mi^p*mj^p)*r; p = 0.3",
                           "(ri^3 + rj^3)^(1/3)*r",
                           "select(mi - mj, 2, 1)*r",
                           "sqrt((mi - mj)^2)*r",
                           "erfc(mi - mj)*erfc(mj - mi)*r",
                           "(ri*step(ri - rj) + rj*step(rj - ri))*r",
                           "(mi + mj)^40*r",
                           "min(mi, min(mj, 3))*r",
                           "1/(1/mi + 1/mj)/r",
                           "mi*mj/(mi*(1 + mj/mi))/r",
                           "(mi + mj)^2*r - (mi^2 + 2*mi*mj + mj^2)*exp(-r)",
                           "mi*(mi + 2*mj)*r + mj^2*r",
                           "max(mi*rj, mj*ri)*r",
                           "(qi*abs(qj) + qj*abs(qi))*r",
                           "floor(mi)*floor(mj)*r",
                           "min(mi, 10)*min(mj, 10)/r",
                           "step(mi + mj - 10)*r",
                           "abs(mi*rj - mj*ri)/r",
                           "select(step(r - ri - rj), 0, (ri + rj - r)^2.5)",
                           "tanh(ri - rj)^2*r",
                           "2.5*(0.1*mi + 0.2*ri)*(0.1*mj + 0.2*rj)*r"}) {
    EXPECT_EQ(message_of([&] { Law::make(text, Over::pairs); }), "") << text;
  }
  for (const char* text :
       {"max(a, max(b, c))", "min(min(b, a), c)^2", "abs((a - b)*(b - c)*(c - a))", "a + b + c - max(a, max(c, b))",
        "acos((a^2+b^2-c^2)/(2*a*b)) + acos((b^2+c^2-a^2)/(2*b*c)) + acos((c^2+a^2-b^2)/(2*a*c))",
        "sqrt(s*(s - a)*(s - b)*(s - c)); s = (a + b + c)/2", "exp(-(a - b)^2 - (b - c)^2 - (a - c)^2)"}) {
    EXPECT_EQ(message_of([&] { Law::make(text, Over::triples); }), "") << text;
  }
}

/// What random bodies near 1 do not show, far thresholds and small differences, and what is not certain.
TEST(LawCheck, AsymmetryAtAThresholdIsRefused) {
  for (const char* text :
       {"-min(mi, 10)*mj/r", "step(mi - 10)*r", "floor(mi/5.5)*mj/r", "(min(ri, 2.5) + rj)^2*r", "step(mi - 1e20)*r",
        "max(qi, -1e9)*qj/r", "mi*mj/r + k*step(ri - big)*r; k = 1; big = 1e6", "(mi + 1.0000001*mj)/r"}) {
    EXPECT_NE(message_of([&] { Law::make(text, Over::pairs); }).find("change places"), std::string::npos) << text;
  }
  const std::string open = message_of([] { Law::make("select(step(ri - rj), ri, rj)*r", Over::pairs); });
  EXPECT_NE(open.find("it is not certain"), std::string::npos) << open;
  EXPECT_NE(open.find("a sum over both orders"), std::string::npos) << open;
  for (const char* text : {"min(a, 50)*b*c", "step(a - 1e5) + a*b*c", "(a - b)*(b - c)*(c - a)"}) {
    EXPECT_NE(message_of([&] { Law::make(text, Over::triples); }).find("change places"), std::string::npos) << text;
  }
}

/// No cut-off has no end in float64, nor in float32.
TEST(Law, CutoffOfZeroDropsNothing) {
  const TypedLaw none = typed_law("-mi*mj/r", Over::pairs), zero = typed_law("-mi*mj/r; cutoff = 0", Over::pairs);
  for (const double r : {1.0, 1e19, 1e20, 1e60, 1e100}) {
    EXPECT_EQ(zero.law->at(r, zero.values).force, none.law->at(r, none.values).force) << r;
    EXPECT_NE(zero.law->at(r, zero.values).force, 0) << r;
  }
  const std::vector<float> inputs{1e38f, 1, 1, 1, 1, 0, 0};
  const std::vector<double> uniforms = zero.law->uniforms(zero.values);
  const std::vector<float> narrow(uniforms.begin(), uniforms.end());
  EXPECT_EQ(typed_law("r^2; cutoff = 0", Over::pairs).law->strength().run<float>(inputs, narrow)[0], 2);
}

}  // namespace
}  // namespace tri::expression::test
