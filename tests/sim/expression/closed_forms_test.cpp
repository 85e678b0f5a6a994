/// Laws that users type, against energy and force written by hand, in float and double.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "sim/base/splitmix64.hpp"
#include "tests/sim/expression/law_probe.hpp"

namespace tri::expression::test {
namespace {

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
