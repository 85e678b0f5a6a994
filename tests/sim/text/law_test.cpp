/// Typed laws: parameters, text, closed forms.
///
/// A law's parameters, cut-off, softening, masses, columns, and its text with other values.

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"

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
  tri::test::expect_parts(open, {"it is not certain", "a sum over both orders"});
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

// Laws that users type, against energy and force written by hand, in float and double.

/// A value as its summands: their sizes say how much a rounding may cost.
using Sum = std::vector<double>;

double total(const Sum& sum) {
  double value = 0;
  for (const double v : sum) value += v;
  return value;
}
double size(const Sum& sum) {
  double value = 0;
  for (const double v : sum) value += std::fabs(v);
  return value;
}

struct PairRow {
  const char* name;
  const char* text;
  double low, high;  ///< distances
  std::function<Sum(const PairPoint&)> energy, force;
  bool weighs = false;
};

using std::erfc, std::exp, std::pow, std::sqrt;
using P = const PairPoint&;

std::vector<PairRow> short_range_rows() {
  return {
      {"Lennard-Jones", "4*eps*((s/r)^12 - (s/r)^6); eps = 1.5; s = 1.1", 0.9, 4,
       [](P p) {
         return Sum{6 * pow(1.1 / p.r, 12), -6 * pow(1.1 / p.r, 6)};
       },
       [](P p) {
         return Sum{72 * pow(1.1 / p.r, 12) / p.r, -36 * pow(1.1 / p.r, 6) / p.r};
       }},
      {"Lennard-Jones by names", "energy = 4*eps*(x^2 - x)\nx = y**3\ny = (s/r)^2\neps = 1; s = 1\n", 0.9, 4,
       [](P p) {
         return Sum{4 * pow(p.r, -12), -4 * pow(p.r, -6)};
       },
       [](P p) {
         return Sum{48 * pow(p.r, -13), -24 * pow(p.r, -7)};
       }},
      {"Morse", "D*(1 - exp(-a*(r - r0)))^2; D = 2; a = 1.3; r0 = 1.2", 0.7, 4,
       [](P p) {
         const double e = exp(-1.3 * (p.r - 1.2));
         return Sum{2, -4 * e, 2 * e * e};
       },
       [](P p) {
         const double e = exp(-1.3 * (p.r - 1.2));
         return Sum{-5.2 * e, 5.2 * e * e};
       }},
      {"Buckingham", "A*exp(-B*r) - C/r^6; A = 1000; B = 3.6; C = 20", 1, 5,
       [](P p) {
         return Sum{1000 * exp(-3.6 * p.r), -20 / pow(p.r, 6)};
       },
       [](P p) {
         return Sum{3600 * exp(-3.6 * p.r), -120 / pow(p.r, 7)};
       }},
      {"Born-Mayer-Huggins", "A*exp(B*(s - r)) - C/r^6 - D/r^8; A = 0.2; B = 3.1; s = 2.3; C = 1.1; D = 0.7", 1, 5,
       [](P p) {
         return Sum{0.2 * exp(3.1 * (2.3 - p.r)), -1.1 / pow(p.r, 6), -0.7 / pow(p.r, 8)};
       },
       [](P p) {
         return Sum{0.62 * exp(3.1 * (2.3 - p.r)), -6.6 / pow(p.r, 7), -5.6 / pow(p.r, 9)};
       }},
      {"WCA", "select(step(2^(1/6)*s - r), 4*((s/r)^12 - (s/r)^6) + 1, 0); s = 1", 0.85, 2,
       [](P p) {
         if (p.r > pow(2, 1.0 / 6)) return Sum{0};
         return Sum{4 * pow(p.r, -12), -4 * pow(p.r, -6), 1};
       },
       [](P p) {
         if (p.r > pow(2, 1.0 / 6)) return Sum{0};
         return Sum{48 * pow(p.r, -13), -24 * pow(p.r, -7)};
       }},
      {"Mie", "k*((s/r)^n - (s/r)^m); k = n/(n - m)*(n/m)^(m/(n - m)); n = 9.5; m = 5.25; s = 0.9", 0.8, 4,
       [](P p) {
         const double k = 9.5 / 4.25 * pow(9.5 / 5.25, 5.25 / 4.25);
         return Sum{k * pow(0.9 / p.r, 9.5), -k * pow(0.9 / p.r, 5.25)};
       },
       [](P p) {
         const double k = 9.5 / 4.25 * pow(9.5 / 5.25, 5.25 / 4.25);
         return Sum{9.5 * k * pow(0.9 / p.r, 9.5) / p.r, -5.25 * k * pow(0.9 / p.r, 5.25) / p.r};
       }},
      {"Stillinger and Weber",
       "select(step(a - r - 0.01), A*(B/r^4 - 1)*exp(1/(r - a)), 0); A = 7.05; B = 0.6; a = 1.8", 0.8, 1.6,
       [](P p) {
         const double e = 7.05 * exp(1 / (p.r - 1.8));
         return Sum{0.6 * e / pow(p.r, 4), -e};
       },
       [](P p) {
         const double e = 7.05 * exp(1 / (p.r - 1.8)), slope = -1 / ((p.r - 1.8) * (p.r - 1.8));
         return Sum{2.4 * e / pow(p.r, 5), -0.6 * e / pow(p.r, 4) * slope, e * slope};
       }},
  };
}

std::vector<PairRow> long_range_rows() {
  return {
      {"gravity", "-G*mi*mj/sqrt(r^2 + eps^2); G = 1.7; eps = 0.3", 0.1, 8,
       [](P p) { return Sum{-1.7 * p.mi * p.mj / sqrt(p.r * p.r + 0.09)}; },
       [](P p) { return Sum{-1.7 * p.mi * p.mj * p.r / pow(p.r * p.r + 0.09, 1.5)}; }, true},
      {"gravity with two terms", "-G*mi*mj*(1/r + alpha*exp(-r/l)/r); G = 2; alpha = 0.5; l = 3", 0.1, 8,
       [](P p) {
         const double g = 2 * p.mi * p.mj / p.r;
         return Sum{-g, -g / 2 * exp(-p.r / 3)};
       },
       [](P p) {
         const double g = 2 * p.mi * p.mj / p.r, e = g / 2 * exp(-p.r / 3);
         return Sum{-g / p.r, -e / p.r, -e / 3};
       },
       true},
      {"Coulomb", "k*qi*qj/r; k = 0.8", 0.1, 8, [](P p) { return Sum{0.8 * p.qi * p.qj / p.r}; },
       [](P p) { return Sum{0.8 * p.qi * p.qj / (p.r * p.r)}; }},
      {"Coulomb, softened", "qi*qj/r; softening = 0.5", 0.1, 8,
       [](P p) { return Sum{p.qi * p.qj / sqrt(p.r * p.r + 0.25)}; },
       [](P p) { return Sum{p.qi * p.qj * p.r / pow(p.r * p.r + 0.25, 1.5)}; }},
      {"Yukawa", "qi*qj*exp(-kappa*r)/r; kappa = 1.4", 0.2, 5,
       [](P p) { return Sum{p.qi * p.qj * exp(-1.4 * p.r) / p.r}; },
       [](P p) {
         const double e = p.qi * p.qj * exp(-1.4 * p.r) / p.r;
         return Sum{e / p.r, 1.4 * e};
       }},
      {"Ewald's short part", "qi*qj*erfc(alpha*r)/r; alpha = 0.9", 0.2, 3,
       [](P p) { return Sum{p.qi * p.qj * erfc(0.9 * p.r) / p.r}; },
       [](P p) {
         const double qq = p.qi * p.qj / p.r;
         return Sum{qq * erfc(0.9 * p.r) / p.r, qq * 1.8 * std::numbers::inv_sqrtpi * exp(-0.81 * p.r * p.r)};
       }},
  };
}

std::vector<PairRow> soft_rows() {
  return {
      {"harmonic", "k/2*(r - r0)^2; k = 12; r0 = 1.5", 0.5, 3,
       [](P p) {
         return Sum{6 * p.r * p.r, -18 * p.r, 13.5};
       },
       [](P p) {
         return Sum{-12 * p.r, 18};
       }},
      {"spheres", "k*square(max(ri + rj - r, 0)); k = 3", 0.2, 4,
       [](P p) {
         return Sum{3 * pow(std::max(p.ri + p.rj - p.r, 0.0), 2), 1e-3, -1e-3};
       },
       [](P p) {
         return Sum{6 * std::max(p.ri + p.rj - p.r, 0.0), 1e-2, -1e-2};
       }},
      {"Gaussian", "-D*exp(-r^2/(2*w^2)); D = 2; w = 0.8", 0.1, 3, [](P p) { return Sum{-2 * exp(-p.r * p.r / 1.28)}; },
       [](P p) { return Sum{-2 * p.r / 0.64 * exp(-p.r * p.r / 1.28)}; }},
      {"FENE", "-k*R0^2/2*log(1 - (r/R0)^2); k = 30; R0 = 1.5", 0.2, 1.4,
       [](P p) { return Sum{-33.75 * std::log(1 - p.r * p.r / 2.25)}; },
       [](P p) { return Sum{-30 * p.r / (1 - p.r * p.r / 2.25)}; }},
      {"soft cosine", "select(step(rc - r), A*(1 + cos(pi*r/rc)), 0); A = 4; rc = 1.5; pi = 3.141592653589793", 0.1, 2,
       [](P p) {
         return p.r > 1.5 ? Sum{0} : Sum{4, 4 * std::cos(std::numbers::pi * p.r / 1.5)};
       },
       [](P p) {
         const double k = std::numbers::pi / 1.5;
         return p.r > 1.5 ? Sum{0} : Sum{4 * k * std::sin(k * p.r), 0.1, -0.1};
       }},
      {"in a fifth root", "A*r^(2/5) + recip(cube(r)); A = 1.5", 0.3, 4,
       [](P p) {
         return Sum{1.5 * pow(p.r, 0.4), pow(p.r, -3)};
       },
       [](P p) {
         return Sum{-0.6 * pow(p.r, -0.6), 3 * pow(p.r, -4)};
       }},
      {"inverse functions", "atan(r) + asin(r/5) + acos(r/6) + atan2(r, 2) + sinh(r) + tanh(r)", 0.2, 4,
       [](P p) {
         return Sum{std::atan(p.r),     std::asin(p.r / 5), std::acos(p.r / 6),
                    std::atan2(p.r, 2), std::sinh(p.r),     std::tanh(p.r)};
       },
       [](P p) {
         return Sum{-1 / (1 + p.r * p.r), -1 / sqrt(25 - p.r * p.r), 1 / sqrt(36 - p.r * p.r),
                    -2 / (4 + p.r * p.r), -std::cosh(p.r),           -pow(std::cosh(p.r), -2)};
       }},
      {"other circles", "sec(r) + csc(r) + cot(r) + tan(r)", 0.3, 1.2,
       [](P p) {
         return Sum{1 / std::cos(p.r), 1 / std::sin(p.r), 1 / std::tan(p.r), std::tan(p.r)};
       },
       [](P p) {
         const double s = std::sin(p.r), c = std::cos(p.r);
         return Sum{-s / (c * c), c / (s * s), 1 / (s * s), -1 / (c * c)};
       }},
  };
}

class PairForms : public testing::Test {
 protected:
  double between(double low, double high) {  // exact in float
    return static_cast<double>(static_cast<float>(low + (high - low) * random_.uniform()));
  }

  template <class Real>
  void compare(const PairRow& row, double tolerance) {
    SCOPED_TRACE(row.name);
    const TypedLaw typed = typed_law(row.text, Over::pairs);
    EXPECT_EQ(typed.law->weighs_masses(), row.weighs);
    for (int k = 0; k < 400; ++k) {
      PairPoint p{between(row.low, row.high)};
      p.mi = between(0.1, 4), p.mj = between(0.1, 4), p.ri = between(0.1, 2), p.rj = between(0.1, 2);
      p.qi = between(-2, 2), p.qj = between(-2, 2);
      const PairResult<Real> found = pair_at<Real>(typed, p);
      const Sum energy = row.energy(p), force = row.force(p);
      ASSERT_NEAR(found.energy, total(energy), tolerance * size(energy)) << "r = " << p.r;
      ASSERT_NEAR(found.force, total(force), tolerance * size(force)) << "r = " << p.r;
    }
  }

  SplitMix64 random_;
};

TEST_F(PairForms, OfShortRange) {
  for (const PairRow& row : short_range_rows()) compare<double>(row, 2e-14), compare<float>(row, 2e-5);
}
TEST_F(PairForms, OfLongRange) {
  for (const PairRow& row : long_range_rows()) compare<double>(row, 2e-14), compare<float>(row, 5e-6);
}
TEST_F(PairForms, OfSoftBodies) {
  for (const PairRow& row : soft_rows()) compare<double>(row, 2e-13), compare<float>(row, 1e-5);
}

/// Of a triple: E and 2 dE/d(a^2) at sides a, b, c; the other slopes follow by symmetry.
struct TripleRow {
  const char* name;
  const char* text;
  std::function<Sum(double, double, double)> energy, slope;
};

const TripleRow kTriples[] = {
    {"Axilrod and Teller", "nu*(1 + 3*((a^2+b^2-c^2)*(b^2+c^2-a^2)*(c^2+a^2-b^2))/(8*a^2*b^2*c^2))/(a*b*c)^3; nu = 0.5",
     [](double a, double b, double c) {
       const double A = a * a, B = b * b, C = c * c, x = A + B - C, y = B + C - A, z = C + A - B;
       return Sum{0.5 * pow(a * b * c, -3), 0.5 * 3 / 8 * x * y * z * pow(a * b * c, -5)};
     },
     [](double a, double b, double c) {
       const double A = a * a, B = b * b, C = c * c, x = A + B - C, y = B + C - A, z = C + A - B;
       const double v = pow(a * b * c, -5) * 3 / 8;
       return Sum{-1.5 * pow(a * b * c, -3) / A, v * y * z, -v * x * z, v * x * y, -2.5 * v * x * y * z / A};
     }},
    {"perimeter", "k*(a + b + c - l)^2; k = 2; l = 4",
     [](double a, double b, double c) {
       return Sum{2 * pow(a + b + c - 4, 2), 1, -1};
     },
     [](double a, double b, double c) {
       return Sum{4 * (a + b + c) / a, -16 / a};
     }},
    {"Gaussian", "exp(-(a^2 + b^2 + c^2)/w); w = 3",
     [](double a, double b, double c) { return Sum{exp(-(a * a + b * b + c * c) / 3)}; },
     [](double a, double b, double c) { return Sum{-2.0 / 3 * exp(-(a * a + b * b + c * c) / 3)}; }}};

template <class Real>
void compare_triple(const TripleRow& row, double tolerance) {
  SCOPED_TRACE(row.name);
  const TypedLaw typed = typed_law(row.text, Over::triples);
  SplitMix64 random;
  for (int k = 0; k < 400; ++k) {
    double s[3];
    for (double& side : s) side = 0.75 + 0.5 * random.uniform();
    const std::vector<Real> found = outputs<Real>(typed, {s[0] * s[0], s[1] * s[1], s[2] * s[2]});
    const Sum energy = row.energy(s[0], s[1], s[2]);
    ASSERT_NEAR(found[3], total(energy), tolerance * size(energy));
    for (int side = 0; side < 3; ++side) {
      const Sum slope = row.slope(s[side], s[(side + 1) % 3], s[(side + 2) % 3]);
      ASSERT_NEAR(found[static_cast<std::size_t>(side)], total(slope), tolerance * size(slope)) << "side " << side;
    }
  }
}

TEST(TripleForms, EnergyAndThreeSlopes) {
  for (const TripleRow& row : kTriples) compare_triple<double>(row, 2e-14), compare_triple<float>(row, 1e-5);
}

/// Where a base is 0, or a derivative would be a difference of numbers near 1.
TEST(PairLimits, PowersOfNothingAndSteepSteps) {
  struct Case {
    const char* text;
    double r, energy, force;
  };
  const double steep = exp(-20.0) / (1 + exp(-40.0));
  const Case cases[] = {{"k*max(0, d - r)^p; k = 3; p = 2.5; d = 1.25", 2, 0, 0},
                        {"k*max(0, d - r)^p; k = 3; p = 2.5; d = 1.25", 1, 3 * pow(0.25, 2.5), 7.5 * pow(0.25, 1.5)},
                        {"k*(r - d)^p; k = 3; p = 2; d = 1", 1, 0, 0},
                        {"k*(r - d)^p; k = 3; p = 2; d = 1", 0.5, 0.75, 3},
                        {"k*(r - d)^p; k = 3; p = 1; d = 1", 1, 0, -3},
                        {"((r - d)^2)^p; p = 0.75; d = 1", 1, 0, 0},
                        {"((r - d)^2)^p; p = 0.75; d = 1", 2, 1, -1.5},
                        {"((r - d)^2)^p; p = 0.75; d = 3", 2, 1, 1.5},
                        {"sqrt((r - d)^2); d = 1", 0.5, 0.5, 1},
                        {"sqrt((r - d)^2); d = 1", 2.5, 1.5, -1},
                        {"log(r)^p; p = 3", 1, 0, 0},
                        {"tanh(r/d); d = 0.1", 2, 1, -40 * steep * steep}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const TypedLaw typed = typed_law(c.text, Over::pairs);
    const PairPoint at{c.r, 1, 1, 1, 1, 1, 1};
    const auto wide = pair_at<double>(typed, at);
    const auto narrow = pair_at<float>(typed, at);
    EXPECT_NEAR(wide.energy, c.energy, 1e-14);
    EXPECT_NEAR(wide.force, c.force, 1e-13 * std::fabs(c.force));
    EXPECT_NEAR(narrow.energy, c.energy, 1e-6);
    EXPECT_NEAR(narrow.force, c.force, 2e-5 * std::fabs(c.force));
  }
}

}  // namespace
}  // namespace tri::expression::test
