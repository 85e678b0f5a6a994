/// Random expressions: the program against the text, evaluated node by node, and its strength against differences.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/expression/law_text.hpp"
#include "sim/expression/syntax.hpp"
#include "tests/sim/expression/law_probe.hpp"

namespace tri::expression::test {
namespace {

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
