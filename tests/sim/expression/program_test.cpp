/// Programs: how many instructions laws take, each operation in float and double, and the text for the device compiler.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "sim/expression/cuda_text.hpp"
#include "tests/sim/expression/law_probe.hpp"

namespace tri::expression::test {
namespace {

/// Instructions that compute: all but inputs, uniforms and numbers.
std::map<std::string, u32> work_of(const Program& program) {
  std::map<std::string, u32> counts;
  for (const Instruction& i : program.code) {
    if (i.op > Op::number) ++counts[std::string(name_of(i.op))];
  }
  return counts;
}
using Work = std::map<std::string, u32>;

Work strength_work(const char* text, Over over = Over::pairs) { return work_of(Law::make(text, over)->strength()); }

TEST(Program, LennardJones) {
  const char* text = "4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1";
  EXPECT_EQ(strength_work(text), (Work{{"reciprocal", 1}, {"multiply", 4}, {"multiply_add", 1}}));
  const auto law = Law::make(text, Over::pairs);
  EXPECT_EQ(work_of(law->strength_and_energy()), (Work{{"reciprocal", 1}, {"multiply", 5}, {"multiply_add", 2}}));
  EXPECT_EQ(strength_work("4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1; cutoff = 2.5"),
            (Work{{"reciprocal", 1}, {"multiply", 4}, {"multiply_add", 1}, {"below", 1}}));
}

TEST(Program, Gravity) {
  const Work work{{"rsqrt_cubed", 1}, {"add", 1}};
  EXPECT_EQ(strength_work("-G*mi*mj/sqrt(r^2 + eps^2); G = 1; eps = 0.1"), work);
  EXPECT_EQ(strength_work("-G*mi*mj/r; G = 1; softening = 0.1"), work);
  EXPECT_EQ(strength_work("-mi*mj/r"), (Work{{"rsqrt_cubed", 1}}));
}

TEST(Program, OthersOfTheBook) {
  EXPECT_EQ(strength_work("k*qi*qj/r; k = 1"), (Work{{"rsqrt_cubed", 1}, {"multiply", 3}}));
  EXPECT_EQ(strength_work("k/2*r^2; k = 1"), Work{});
  EXPECT_EQ(strength_work("k/2*(r - l)^2; k = 1; l = 1"), (Work{{"rsqrt", 1}, {"multiply_add", 1}}));
  EXPECT_EQ(strength_work("exp(-r^2/w); w = 1"), (Work{{"exp", 1}, {"multiply", 2}}));
  // One exponential, one root.
  const Work morse = strength_work("D*(1 - exp(-a*(r - b)))^2; D = 1; a = 1; b = 1");
  EXPECT_EQ(morse.at("exp"), 1u);
  EXPECT_EQ(morse.at("rsqrt"), 1u);
  const Work triple = strength_work(
      "nu*(1 + 3*((a^2+b^2-c^2)*(b^2+c^2-a^2)*(c^2+a^2-b^2))/(8*a^2*b^2*c^2))/(a*b*c)^3; nu = 1", Over::triples);
  EXPECT_EQ(triple.at("rsqrt"), 3u);
  u32 all = 0;
  for (const auto& [name, count] : triple) all += count;
  EXPECT_LE(all, 60u);
}

/// A distance enters by its square: even powers take no root.
TEST(Program, RootsOnlyForOddPowers) {
  for (const char* text :
       {"r^-12 + r^4", "sqrt(r^4 + 1)", "(s/r)^6; s = 2", "exp(-r*r)", "sqrt(r)^8", "pow(r, n); n = 4"}) {
    const Work work = strength_work(text);
    EXPECT_EQ(work.count("sqrt"), 0u) << text;
    EXPECT_EQ(work.count("rsqrt"), std::string(text) == "sqrt(r^4 + 1)" ? 1u : 0u) << text;
  }
}

TEST(Program, ParametersAreLeftToTheHost) {
  const auto law = Law::make("sin(a)*exp(b/a)*r^4 + log(a)^3*r^2; a = 2; b = 3", Over::pairs);
  EXPECT_EQ(work_of(law->strength()), (Work{{"multiply_add", 1}}));
  const std::vector<double> values{2, 3};
  EXPECT_NEAR(law->at(1.5, values).energy,
              std::sin(2) * std::exp(1.5) * std::pow(1.5, 4) + std::pow(std::log(2), 3) * 2.25, 1e-13);
}

template <class Real>
Real run_one(Op op, Real a, Real b, Real c) {
  Program p;
  p.code = {{Op::input, 0}, {Op::input, 1}, {Op::uniform, 0}, {op, 0, 1, 2}};
  p.outputs = {3};
  return p.run<Real>(std::vector<Real>{a, b}, std::vector<Real>{c})[0];
}

template <class Real>
void check_operations() {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  volatile Real unknown = Real(0.7);  // or the compiler would compute in its own arithmetic
  const Real x = unknown, y = x + Real(0.6), z = x - Real(2.7);
  const auto is = [&](Op op, Real value) { EXPECT_EQ(run_one<Real>(op, x, y, z), value) << name_of(op); };
  is(Op::add, x + y), is(Op::subtract, x - y), is(Op::multiply, x * y), is(Op::divide, x / y);
  is(Op::negate, -x), is(Op::reciprocal, 1 / x), is(Op::sqrt, std::sqrt(x)), is(Op::rsqrt, 1 / std::sqrt(x));
  is(Op::power, std::pow(x, y)), is(Op::exp, std::exp(x)), is(Op::log, std::log(x)), is(Op::atan2, std::atan2(x, y));
  is(Op::sin, std::sin(x)), is(Op::cos, std::cos(x)), is(Op::tan, std::tan(x)), is(Op::asin, std::asin(x));
  is(Op::acos, std::acos(x)), is(Op::atan, std::atan(x)), is(Op::sinh, std::sinh(x)), is(Op::cosh, std::cosh(x));
  is(Op::tanh, std::tanh(x)), is(Op::erf, std::erf(x)), is(Op::erfc, std::erfc(x)), is(Op::floor, 0), is(Op::ceil, 1);
  is(Op::min, x), is(Op::max, y), is(Op::step, 1), is(Op::select, y), is(Op::below, z), is(Op::abs, x);
  EXPECT_NEAR(run_one<Real>(Op::multiply_add, x, y, z), x * y + z, 1e-6);
  EXPECT_NEAR(run_one<Real>(Op::neg_multiply_add, x, y, z), z - x * y, 1e-6);
  EXPECT_NEAR(run_one<Real>(Op::rsqrt_cubed, x, y, z), std::pow(x, Real(-1.5)), 1e-6);
  EXPECT_EQ(run_one<Real>(Op::step, Real(-0.1), y, z), 0);
  EXPECT_EQ(run_one<Real>(Op::step, 0, y, z), 1);
  EXPECT_EQ(run_one<Real>(Op::abs, -x, y, z), x);
  EXPECT_EQ(run_one<Real>(Op::select, 0, nan, z), z);
  EXPECT_EQ(run_one<Real>(Op::select, x, y, nan), y);
  EXPECT_EQ(run_one<Real>(Op::below, y, x, nan), 0);
  EXPECT_EQ(run_one<Real>(Op::min, y, x, z), x);
  EXPECT_EQ(run_one<Real>(Op::max, y, x, z), y);
  EXPECT_EQ(run_one<Real>(Op::min, nan, y, z), y);
  EXPECT_TRUE(std::isnan(run_one<Real>(Op::max, nan, y, z)));
}

TEST(Program, EveryOperation) {
  check_operations<float>();
  check_operations<double>();
  // Rounded in float: the sum of 1 and 2^-30 is 1.
  EXPECT_EQ(run_one<float>(Op::add, 1, 0x1p-30f, 0), 1.0f);
}

TEST(CudaText, StatementsOfAProgram) {
  const auto law =
      Law::make("energy = -my_name*qi*qj/r^3 + exp(-r^2) + 1.5*abs(r^2 - 4); my_name = 2; cutoff = 3", Over::pairs);
  const std::vector<std::string> names{"r2", "mi", "mj", "ri", "rj", "qi", "qj"};
  const FunctorText text = functor_statements(law->strength_and_energy(), names);
  const Program& program = law->strength_and_energy();
  ASSERT_EQ(text.outputs.size(), 2u);
  EXPECT_EQ(text.outputs[1], "t" + std::to_string(program.outputs[1]));
  u32 lines = 0;
  for (const char c : text.statements) lines += c == '\n';
  EXPECT_EQ(lines, program.code.size());
  EXPECT_EQ(text.statements.find("my_name"), std::string::npos);
  for (const char* part : {"= r2;\n", "= qi;\n", "= u[", "tri_exp(t", "tri_abs(t", "M::only_if(M::less(t", "M::set("}) {
    EXPECT_NE(text.statements.find(part), std::string::npos) << part << " is missing in\n" << text.statements;
  }
}

TEST(CudaText, EveryOperation) {
  Program p;
  p.numbers = {0.1, -3};
  p.code = {{Op::input, 1}, {Op::uniform, 7}, {Op::number, 1}};
  for (u32 op = static_cast<u32>(Op::add); op <= static_cast<u32>(Op::below); ++op)
    p.code.push_back({static_cast<Op>(op), 0, 1, 2});
  p.outputs = {3, 2};
  const std::vector<std::string> names{"x", "y"};
  const FunctorText text = functor_statements(p, names);
  EXPECT_EQ(text.outputs, (std::vector<std::string>{"t3", "t2"}));
  EXPECT_EQ(text.statements.substr(0, text.statements.find("  const V t8")),
            "  const V t0 = y;\n  const V t1 = u[7];\n  const V t2 = M::set(-0x1.8p+1);\n  const V t3 = t0 + t1;\n"
            "  const V t4 = t0 - t1;\n  const V t5 = t0 * t1;\n  const V t6 = t0 / t1;\n"
            "  const V t7 = M::mul_add(t0, t1, t2);\n");
  // Every function that the statements call is in the prelude, for both types.
  const std::string prelude = functor_prelude();
  for (std::size_t at = text.statements.find("tri_"); at != std::string::npos;
       at = text.statements.find("tri_", at + 1)) {
    const std::string name = text.statements.substr(at, text.statements.find('(', at) - at);
    EXPECT_NE(prelude.find("float " + name + "(float x"), std::string::npos) << name;
    EXPECT_NE(prelude.find("double " + name + "(double x"), std::string::npos) << name;
  }
  EXPECT_NE(prelude.find("__device__ __forceinline__ float tri_power(float x, float y) { return powf(x, y); }\n"),
            std::string::npos);
}

}  // namespace
}  // namespace tri::expression::test
