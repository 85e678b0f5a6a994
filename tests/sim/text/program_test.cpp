/// Programs: how many instructions laws take, each operation in float and double, and the text for the device compiler.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/text/law_maker.hpp"
#include "sim/text/law_program.hpp"
#include "sim/text/syntax.hpp"
#include "tests/sim/text/text_support.hpp"

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

// Random expressions: the program against the text, evaluated node by node, and its strength against differences.

using Wide = long double;

/// Texts of energies that do not change when i and j change places.
class Generator {
 public:
  explicit Generator(u64 seed) : random_{seed} {}

  std::string expression(int levels) {
    if (levels == 0 || pick(8) == 0) return leaf();
    const auto inner = [&] { return expression(levels - 1); };
    const std::string x = inner();
    switch (pick(15)) {
      case 0:
        return fmt::format("({} + {})", x, inner());
      case 1:
        return fmt::format("({} - {})", x, inner());
      case 2:
      case 3:
        return fmt::format("{}*{}", x, inner());
      case 4:
        return fmt::format("({})/({})", x, inner());
      case 5:
        return fmt::format("({})^{}", x, static_cast<int>(pick(7)) - 3);
      case 6:
        return fmt::format("abs({})^{}", x, pick(2) == 0 ? "(1/2)" : "(-3/2)");
      case 7:
        return fmt::format("sqrt(square({}))", x);
      case 8:
        return fmt::format("exp(-square({}))", x);
      case 9:
        return fmt::format("log(1 + square({}))", x);
      case 10:
        return fmt::format("{}({})", pick(2) == 0 ? "sin" : "cos", x);
      case 11:
        return fmt::format("{}({})", pick(2) == 0 ? "tanh" : "erf", x);
      case 12:
        return fmt::format("{}({}, {})", pick(2) == 0 ? "min" : "max", x, inner());
      case 13:
        return fmt::format("select(step({}), {}, {})", x, inner(), inner());
      default:
        return fmt::format("-({})", x);
    }
  }

 private:
  u64 pick(u64 below) { return random_.next() % below; }

  std::string leaf() {
    static const char* const kLeaves[] = {"r",  "r",     "r",         "r^2",   "(s1/r)", "s1",
                                          "p1", "mi*mj", "(ri + rj)", "qi*qj", "0.75",   "3"};
    return kLeaves[pick(std::size(kLeaves))];
  }

  SplitMix64 random_;
};

/// Evaluates the tree as it was typed.
class Naive {
 public:
  explicit Naive(const std::string& text) : syntax_(parse({"law", text}, law_language())) {}

  Wide at(const PairPoint& p, Wide r) {
    names_ = {{"r", r}, {"mi", p.mi}, {"mj", p.mj}, {"ri", p.ri}, {"rj", p.rj}, {"qi", p.qi}, {"qj", p.qj}};
    largest = 0;
    for (std::size_t s = 1; s < syntax_.statements.size(); ++s) {
      names_[std::string(syntax_.statements[s].name)] = value(syntax_.statements[s].root);
    }
    return value(syntax_.statements[0].root);
  }
  Wide largest = 0;  ///< result on the way

 private:
  Wide value(u32 id) {
    const Wide v = node(syntax_.nodes[id]);
    largest = std::max(largest, std::fabs(v));
    return v;
  }

  Wide node(const Node& n) {
    if (n.kind == NodeKind::number) return n.value;
    if (n.kind == NodeKind::name) return names_.at(std::string(n.text));
    std::vector<Wide> x;
    for (const u32 o : n.operands) x.push_back(value(o));
    if (n.kind == NodeKind::unary) return -x[0];
    if (n.kind == NodeKind::call) return function(std::string(n.text), x);
    switch (n.operation) {
      case Operation::add:
        return x[0] + x[1];
      case Operation::subtract:
        return x[0] - x[1];
      case Operation::multiply:
        return x[0] * x[1];
      case Operation::divide:
        return x[0] / x[1];
      default:
        return std::pow(x[0], x[1]);
    }
  }

  static Wide function(const std::string& f, const std::vector<Wide>& x) {
    if (f == "abs") return std::fabs(x[0]);
    if (f == "sqrt") return std::sqrt(x[0]);
    if (f == "square") return x[0] * x[0];
    if (f == "exp") return std::exp(x[0]);
    if (f == "log") return std::log(x[0]);
    if (f == "sin") return std::sin(x[0]);
    if (f == "cos") return std::cos(x[0]);
    if (f == "tanh") return std::tanh(x[0]);
    if (f == "erf") return std::erf(x[0]);
    if (f == "min") return std::min(x[0], x[1]);
    if (f == "max") return std::max(x[0], x[1]);
    if (f == "step") return x[0] < 0 ? 0 : 1;
    if (f == "select") return x[0] != 0 ? x[1] : x[2];
    ADD_FAILURE() << "no function " << f;
    return 0;
  }

  Syntax syntax_;
  std::map<std::string, Wide> names_;
};

struct Counts {
  u32 laws = 0, refused = 0, energies = 0, forces = 0;
};

class RandomLaws {
 public:
  void compare(const std::string& text) {
    SCOPED_TRACE(text);
    TypedLaw typed;
    try {
      typed = typed_law(text, Over::pairs);
    } catch (const ConfigError& error) {
      ++counts.refused;
      const std::string message = error.what();
      const bool expected = message.find("there is no force") != std::string::npos ||
                            message.find("not a finite number") != std::string::npos;
      EXPECT_TRUE(expected) << message;
      return;
    }
    ++counts.laws;
    Naive naive(text);
    for (int k = 0; k < 12; ++k) compare_point(typed, naive);
  }
  Counts counts;

 private:
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }

  void compare_point(const TypedLaw& typed, Naive& naive) {
    const PairPoint p{between(0.4, 3), between(0.2, 3), between(0.2, 3), between(0.2, 1),
                      between(0.2, 1), between(-2, 2),  between(-2, 2)};
    const Wide expected = naive.at(p, p.r), size = naive.largest;
    if (!std::isfinite(expected) || size > 1e12L) return;
    const PairResult<Wide> found = pair_at<Wide>(typed, p);
    ++counts.energies;
    ASSERT_NEAR(found.energy, expected, 1e-9L * std::fabs(expected) + 1e-12L * size);

    const auto slope = [&](Wide h) { return (naive.at(p, p.r + h) - naive.at(p, p.r - h)) / (2 * h); };
    const Wide h = 1e-3L, s1 = slope(h), s2 = slope(h / 2), s4 = slope(h / 4);
    const Wide r1 = (4 * s2 - s1) / 3, r2 = (4 * s4 - s2) / 3;
    if (!(std::fabs(r1 - r2) <= 1e-7L * (std::fabs(r2) + 1e-6L * size))) return;  // near a jump or a kink
    ++counts.forces;
    ASSERT_NEAR(found.force, -r2, 1e-6L * std::fabs(r2) + 1e-10L * size) << "r = " << p.r;
  }

  SplitMix64 random_{7};
};

TEST(RandomExpressions, EnergyAndForce) {
  RandomLaws laws;
  for (u64 seed = 1; seed <= 1500; ++seed) {
    Generator generator(seed);
    std::string text = generator.expression(4);
    // Parameters that the energy does not name would be refused.
    for (const std::string parameter : {"s1 = 1.25", "p1 = 0.8"}) {
      if (text.find(parameter.substr(0, 2)) != std::string::npos) text += "; " + parameter;
    }
    laws.compare(text);
    if (testing::Test::HasFatalFailure()) return;
  }
  const Counts& c = laws.counts;
  RecordProperty("laws", static_cast<int>(c.laws));
  EXPECT_GT(c.laws, 600u) << c.refused << " refused";
  EXPECT_GT(c.energies, 6000u);
  EXPECT_GT(c.forces, 5000u);
}

}  // namespace
}  // namespace tri::expression::test
